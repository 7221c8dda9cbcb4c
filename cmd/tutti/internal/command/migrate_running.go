package command

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/migrate"
)

// oldAdmins are the admin addresses of existing nodes that have an account.
func oldAdmins() []string { return []string{"127.0.0.1:7935", "127.0.0.1:5935"} }

// Busy returns the process or node that still works with the existing node's directory; "" for none.
// ours is this node's own admin address, which is not asked.
func (o *ExistingNode) Busy(ctx context.Context, ours string) string {
	if holder := migrate.Holder(o.Dir); holder != "" {
		return holder
	}
	keys, err := migrate.KeysIn(o.Dir)
	if err != nil {
		return ""
	}
	for _, at := range oldAdmins() {
		if at != ours && answersAs(ctx, at, keys) {
			return "the node whose admin API is at " + at
		}
	}
	return ""
}

// answersAs reports whether an existing node with one of the keys answers at an
// address. One of ours answers there too, and has a description of itself.
func answersAs(ctx context.Context, at string, keys []migrate.Key) bool {
	client := &http.Client{Transport: &http.Transport{
		Proxy: nil, DisableKeepAlives: true, DialContext: (&net.Dialer{Timeout: time.Second}).DialContext,
	}, Timeout: 2 * time.Second}
	text, ok := fetch(ctx, client, "http://"+at+"/ethAddr")
	address, err := core.ParseAddress(strings.TrimSpace(text))
	if !ok || err != nil {
		return false
	}
	for _, k := range keys {
		if k.Address == address {
			_, tutti := fetch(ctx, client, "http://"+at+adminapi.PathOpenAPI)
			return !tutti
		}
	}
	return false
}

// fetch returns the beginning of what a page says.
func fetch(ctx context.Context, client *http.Client, url string) (string, bool) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return "", false
	}
	resp, err := client.Do(req)
	if err != nil {
		return "", false
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(resp.Body, 256))
	return string(text), err == nil && resp.StatusCode == http.StatusOK
}
