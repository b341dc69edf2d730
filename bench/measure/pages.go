package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"

	"golang.org/x/sync/errgroup"

	"microblogging/domain"
	"microblogging/storage"
	"microblogging/storage/bolt"
	"microblogging/web"
)

// maxSubscribed is to how many channels the reader subscribes at most.
const maxSubscribed = 100

// measurePages counts the calls of each page on sites with more and more channels. Calls do not depend on the
// store, so it uses an embedded one of its own that does not wait for the disk.
func measurePages(ctx context.Context, _ []*store, of scale) (result, error) {
	r := result{
		Name: "Pages",
		About: fmt.Sprintf("The calls of each page on sites with so many channels, each with a post, when the process begins / when it is "+
			"asked for again and nothing has changed. The reader subscribes to all channels, and to %d at most. Calls are the same on "+
			"every store. The price is that of a million pages that are asked for again, on Azure.", maxSubscribed),
		Columns: []string{"page"},
	}
	grows := plot{Title: "Calls of a page when the process begins", X: "channels", Y: "calls", LogY: true}
	rows := make([][]any, len(pages))
	for _, size := range of.channels {
		r.Columns = append(r.Columns, fmt.Sprint(size), "$")
		counts, err := countCalls(ctx, size)
		if err != nil {
			return r, fmt.Errorf("pages of %d channels: %w", size, err)
		}
		for i, page := range pages {
			rows[i] = append(rows[i], fmt.Sprintf("%d / %d", counts[i][0], counts[i][1]), price(1e6*float64(counts[i][1])))
			grows.draw(page.name, float64(size), max(float64(counts[i][0]), 0.5)) // the axis is logarithmic
		}
	}
	for i, page := range pages {
		r.row(append([]any{page.name}, rows[i]...)...)
	}
	r.Plots = []plot{grows}
	return r, nil
}

var pages = []struct {
	name, path string
	signedIn   bool
}{
	{"newest posts", "/latest", false},
	{"channels", "/channels", false},
	{"channel", "/channels/c0", false},
	{"channel, signed in", "/channels/c0", true},
	{"feed", "/", true},
}

// countCalls returns, for each page, its calls when the process begins and when it is asked for again.
func countCalls(ctx context.Context, channels int) (counts [][2]int, err error) {
	s := &store{name: "bolt"}
	if err := s.openBolt(bolt.Options{NoSync: true}); err != nil {
		return nil, err
	}
	defer s.close()
	token, err := populate(ctx, s.site(), channels)
	if err != nil {
		return nil, err
	}
	for _, page := range pages {
		// A process that has just begun knows no page and no channel. Package httptest asks for example.com.
		handler, err := web.New(s.site().Store, web.Options{Hosts: []string{"example.com"}, PageCache: 64 << 20})
		if err != nil {
			return nil, err
		}
		var asked [2]int
		for i := range asked {
			request := httptest.NewRequestWithContext(ctx, http.MethodGet, page.path, nil)
			if page.signedIn {
				request.AddCookie(&http.Cookie{Name: "session", Value: token})
			}
			response := httptest.NewRecorder()
			handler.ServeHTTP(response, request)
			if asked[i], err = callsOf(response); err != nil {
				return nil, fmt.Errorf("%s: %w", page.path, err)
			}
		}
		counts = append(counts, asked)
	}
	return counts, nil
}

var timing = regexp.MustCompile(`calls;desc="(\d+)"`)

// callsOf reads the header that tells what a page cost.
func callsOf(response *httptest.ResponseRecorder) (int, error) {
	found := timing.FindStringSubmatch(response.Header().Get("Server-Timing"))
	if response.Code != http.StatusOK || found == nil {
		return 0, fmt.Errorf("status %d, Server-Timing %q", response.Code, response.Header().Get("Server-Timing"))
	}
	return strconv.Atoi(found[1])
}

// populate makes channels with a post each, and a reader, whose session it returns.
func populate(ctx context.Context, site *storage.Parts, channels int) (token string, err error) {
	if err := site.Operator.Prepare(ctx); err != nil {
		return "", err
	}
	const reader domain.UserName = "bob"
	attempt := storage.Attempt{Name: string(reader), Password: "a long password", Address: "here"}
	if _, _, err := site.Accounts.Create(ctx, storage.SignUpRequest{Attempt: attempt}); err != nil {
		return "", err
	}
	group, together := errgroup.WithContext(ctx)
	group.SetLimit(64)
	for i := range channels {
		group.Go(func() error {
			channel, err := newChannel(together, site, fmt.Sprintf("c%d", i))
			if err == nil {
				err = post(together, site, channel, 1)
			}
			if err == nil && i < maxSubscribed {
				err = site.Subscriptions.Create(together, channel, reader)
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return "", err
	}
	token, _, err = site.Accounts.SignIn(ctx, attempt)
	return token, err
}
