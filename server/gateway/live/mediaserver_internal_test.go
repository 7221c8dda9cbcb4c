package live

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core/fetchurl"
	"github.com/tuttinode/tutti/server/access"
)

// anyKey is a ring in which every key is good.
type anyKey struct{}

func (anyKey) Required() bool                                    { return true }
func (anyKey) Use(context.Context, string, string, string) error { return nil }

// TestKeysGetNoPassword: a client with an API key that calls as a media server is not sent the password of the
// operator's, which ends the publishers of all clients.
func TestKeysGetNoPassword(t *testing.T) {
	t.Parallel()
	b := newBench(t, 4)
	b.o.Access = access.New(access.Options{Listen: "0.0.0.0:9935", Mode: access.Auto, Keys: anyKey{}})
	b.o.MediaNetworks = fetchurl.Networks{netip.MustParsePrefix("198.51.100.0/24")}
	for from, gets := range map[string]bool{
		"203.0.113.9:1000": false, "[2001:db8::9]:1000": false, "198.51.100.9:1000": true, "10.1.2.3:1000": true,
		"127.0.0.1:1000": true,
	} {
		r := httptest.NewRequest(http.MethodPost, path+"cam/start", strings.NewReader("source_id=c&source_type=rtmpConn"))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Authorization", "Bearer key of a client")
		r.RemoteAddr, r.Host = from, "127.0.0.1:9935"
		r.SetPathValue("stream", "cam")
		if _, err := b.mayPublish(r, netip.Prefix{}); err != nil {
			t.Fatal(from, err)
		}
		c, text, err := b.readStart(httptest.NewRecorder(), r)
		if err != nil || text != "" {
			t.Fatal(from, text, err)
		}
		if (c.api != nil) != gets {
			t.Errorf("%s gets the password of the media server's API: %t", from, c.api != nil)
		}
	}
}
