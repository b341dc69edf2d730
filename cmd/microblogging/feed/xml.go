package feed

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
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

// parseXML reads a feed of a format.
func parseXML(document []byte, parse func([]byte) (Feed, error)) (feed Feed, err error) {
	if err = survey(document); err == nil {
		feed, err = parse(document)
	}
	if err != nil {
		return Feed{}, notAFeed(err)
	}
	return feed, nil
}

// survey refuses what gofeed would not survive or would lose without a word.
func survey(document []byte) error {
	decoder := xml.NewDecoder(bytes.NewReader(document))
	decoder.Strict = false
	decoder.CharsetReader = charset.NewReaderLabel
	for depth, channels := 0, 0; ; {
		token, err := decoder.Token()
		if err != nil {
			return explain(err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			if depth++; depth == 2 && strings.EqualFold(token.Name.Local, "channel") {
				channels++
			}
			if depth > maxNesting {
				return fmt.Errorf("its elements nest deeper than %d", maxNesting)
			}
			if channels > 1 {
				return errors.New("it has more than one channel")
			}
		case xml.EndElement:
			if depth--; depth == 0 {
				return nil
			}
		}
	}
}

// explain makes a reader understand an error of a decoder.
func explain(err error) error {
	var syntax *xml.SyntaxError
	if errors.As(err, &syntax) && syntax.Msg == "invalid UTF-8" {
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
