package feed

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/mmcdole/gofeed"
	"github.com/mmcdole/gofeed/atom"
	"github.com/mmcdole/gofeed/rss"
	"golang.org/x/net/html/charset"
)

// maxNesting bounds how deep elements may nest. gofeed recurses, and a stack
// overflow ends the process. The bound is high, because elements that are never
// closed count as nested.
const maxNesting = 100_000

// parseXML reads an RSS or Atom feed.
func parseXML(document []byte) (feed Feed, err error) {
	root, err := survey(document)
	if err == nil {
		switch root {
		case "feed":
			feed, err = parseAtom(document)
		case "rss", "rdf":
			feed, err = parseRSS(document)
		default:
			return Feed{}, ErrNotAFeed
		}
	}
	if err != nil {
		return Feed{}, notAFeed(err)
	}
	return feed, nil
}

// survey returns the name of the root element, and refuses what gofeed would not survive or
// would lose without a word.
func survey(document []byte) (root string, err error) {
	decoder := xml.NewDecoder(bytes.NewReader(document))
	decoder.Strict = false
	decoder.CharsetReader = charset.NewReaderLabel
	channels := 0
	for depth := 0; ; {
		token, err := decoder.Token()
		if err != nil {
			return "", explain(err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			name := strings.ToLower(token.Name.Local)
			switch depth++; depth {
			case 1:
				root = name
			case 2:
				if name == "channel" {
					channels++
				}
			}
			if depth > maxNesting {
				return "", fmt.Errorf("its elements nest deeper than %d", maxNesting)
			}
			if channels > 1 {
				return "", errors.New("it has more than one channel")
			}
		case xml.EndElement:
			if depth--; depth == 0 {
				return root, nil
			}
		}
	}
}

// explain makes a reader understand an error of a decoder.
func explain(err error) error {
	var syntax *xml.SyntaxError
	switch {
	case errors.Is(err, io.EOF):
		return errors.New("it has no element")
	case errors.As(err, &syntax) && syntax.Msg == "invalid UTF-8":
		return fmt.Errorf("%w (%w)", errNotUTF8, err)
	}
	return err
}

// parseRSS needs to translate no text, because those of RSS usually are HTML.
func parseRSS(document []byte) (Feed, error) {
	parser := &rss.Parser{}
	source, err := parser.Parse(bytes.NewReader(document))
	if err != nil {
		return Feed{}, err
	}
	translator := &gofeed.DefaultRSSTranslator{DisableContentImageScan: true}
	feed, err := translator.Translate(source)
	if err != nil {
		return Feed{}, err
	}
	return newFeed(feed, feed.Link, feed.FeedLink), nil
}

// parseAtom respects the type of a content (RFC 4287, 4.1.3.1). gofeed does not pass
// on the type of a title or a summary, so these are read as HTML.
func parseAtom(document []byte) (Feed, error) {
	parser := &atom.Parser{}
	source, err := parser.Parse(bytes.NewReader(document))
	if err != nil {
		return Feed{}, err
	}
	for _, entry := range source.Entries {
		translateAtomContent(entry.Content)
	}
	translator := &gofeed.DefaultAtomTranslator{}
	feed, err := translator.Translate(source)
	if err != nil {
		return Feed{}, err
	}
	return newFeed(feed, source.ID, feed.Link, feed.FeedLink), nil
}

func translateAtomContent(content *atom.Content) {
	if content == nil {
		return
	}
	switch kind := strings.ToLower(content.Type); {
	case kind == "" || kind == "text" || strings.HasPrefix(kind, "text/plain"):
		content.Value = verbatim(content.Value)
	case strings.Contains(kind, "html"):
	default:
		// Another media type: a picture, or data.
		content.Value = ""
	}
}
