package fetchurl_test

import (
	"context"
	"errors"
	"net/netip"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core/fetchurl"
)

// hosts is a resolver of a few names.
func hosts(_ context.Context, host string) ([]netip.Addr, error) {
	switch host {
	case "good.example.com":
		return []netip.Addr{netip.MustParseAddr("93.184.216.34")}, nil
	case "rebound.example.com":
		return []netip.Addr{netip.MustParseAddr("93.184.216.34"), netip.MustParseAddr("127.0.0.1")}, nil
	case "inside.example.com":
		return []netip.Addr{netip.MustParseAddr("fd00::1")}, nil
	case "nothing.example.com":
		return nil, nil
	}
	return nil, errors.New("no such host")
}

func TestAddressesThatArePermitted(t *testing.T) {
	t.Parallel()
	for _, address := range []string{
		"data:image/png;base64,AAAA", "DATA:,x", "https://good.example.com/a.png?b=c#d", "http://93.184.216.34:8080/",
		"HTTP://GOOD.EXAMPLE.COM./x", "https://[2606:4700::1]/",
	} {
		if err := fetchurl.PublicHosts.Check(t.Context(), address, hosts); err != nil {
			t.Errorf("%s: %v", address, err)
		}
	}
	if err := fetchurl.Any.Check(t.Context(), "file:///etc/passwd", hosts); err != nil {
		t.Error(err)
	}
	for _, p := range []fetchurl.Policy{fetchurl.DataOnly, fetchurl.Fetch} {
		if err := p.Check(t.Context(), "data:,x", nil); err != nil {
			t.Error(err)
		}
	}
}

func TestAddressesThatAreRefused(t *testing.T) {
	t.Parallel()
	for _, address := range []string{
		"http://127.0.0.1/", "http://127.1/", "http://2130706433/", "http://0x7f000001/", "http://0x7f.0.0.1/",
		"http://0177.0.0.1/",
		"http://017700000001/", "http://127.0.0.1.:80/", "http://0/", "http://0.0.0.0/", "http://[::]/",
		"http://[::1]/", "http://[::ffff:127.0.0.1]/",
		"http://[::ffff:7f00:1]/", "http://[::127.0.0.1]/", "http://[64:ff9b::7f00:1]/", "http://[2002:7f00:1::]/",
		"http://[fe80::1]/",
		"http://[fe80::1%25eth0]/", "http://[fd00::1]/", "http://[ff02::1]/", "http://10.1.2.3/", "http://172.16.0.1/",
		"http://192.168.1.1/",
		"http://169.254.169.254/latest/meta-data", "http://2852039166/", "http://100.64.0.1/", "http://224.0.0.1/",
		"http://255.255.255.255/",
		"http://localhost/", "http://LOCALHOST./", "http://a.localhost/", "http://metadata.google.internal/",
		"http://printer/", "http://nas.local/",
		"http://kubernetes.default.svc.cluster.local/", "http://router.lan/",
		"http://rebound.example.com/", "http://inside.example.com/", "http://nothing.example.com/",
		"http://unknown.example.com/",
		"file:///etc/passwd", "ftp://good.example.com/", "gopher://good.example.com/", "unix:///var/run/docker.sock",
		"/etc/passwd", "etc/passwd", "",
		"//good.example.com/", "http:good.example.com", "http:/good.example.com", "http:///good.example.com", "http://",
		"javascript:1", " data:,x", "s3://b/k",
		"http://good.example.com@127.0.0.1/", "http://127.0.0.1@good.example.com/",
		`http://good.example.com\@127.0.0.1/`, "http://good.example.com /",
		"http://good.example.com\n/", "http://①②⑦.⓪.⓪.①/", "http://127。0。0。1/", "http://good.example.com%00/",
		"http://%31%32%37.0.0.1/",
		"http://1.2.3.4.5/", "http://999.1.1.1/", "http://0x/", "http://1.2.3.0x7f.com.9/", "http://good..example.com/",
		"http://good.example.com:x/",
		"http://" + strings.Repeat("a", 9000) + ".com/",
	} {
		for _, p := range []fetchurl.Policy{fetchurl.PublicHosts, fetchurl.DataOnly, fetchurl.Fetch} {
			if err := p.Check(t.Context(), address, hosts); err == nil {
				t.Errorf("%s takes %q", p, address)
			} else if len(err.Error()) > 400 || strings.Contains(err.Error(), "fd00") &&
				!strings.Contains(address, "fd00") {
				t.Errorf("%q tells too much: %v", address, err)
			}
		}
	}
}

// Messages are logged: of an address with a secret they hold no more than its path.
func TestMessagesHoldNoQuery(t *testing.T) {
	t.Parallel()
	for _, p := range []fetchurl.Policy{fetchurl.Fetch, fetchurl.DataOnly, fetchurl.PublicHosts} {
		err := p.Check(t.Context(), "http://127.0.0.1/a.png?key=secret", hosts)
		if err == nil || strings.Contains(err.Error(), "secret") || !strings.Contains(err.Error(), "/a.png") {
			t.Errorf("%s: %v", p, err)
		}
	}
}

// A dialer is kept from everything but the internet, whatever name it dials.
func TestPublicOnly(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"93.184.216.34:443", "[2606:4700::1]:80"} {
		if err := fetchurl.PublicOnly("tcp", address, nil); err != nil {
			t.Error(err)
		}
	}
	for _, address := range []string{"127.0.0.1:443", "[::ffff:10.0.0.1]:80", "169.254.169.254:80", "[fd00::1]:80",
		"[fe80::1%eth0]:80"} {
		if err := fetchurl.PublicOnly("tcp", address, nil); !errors.Is(err, fetchurl.ErrNotPublic) {
			t.Errorf("%s: %v", address, err)
		}
	}
	if err := fetchurl.PublicOnly("tcp", "name:80", nil); err == nil {
		t.Error("a name is dialed")
	}
}

func TestPolicies(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"fetch", "data", "public", "any"} {
		if p, ok := fetchurl.ParsePolicy(name); !ok || p.String() != name {
			t.Errorf("%s became %v, %v", name, p, ok)
		}
	}
	if _, ok := fetchurl.ParsePolicy("all"); ok {
		t.Error("all is a policy")
	}
}

func FuzzCheck(f *testing.F) {
	f.Add("http://127.0.0.1/")
	f.Add("http://0x7f.1:80/")
	f.Fuzz(func(t *testing.T, address string) {
		err := fetchurl.PublicHosts.Check(t.Context(), address, hosts)
		if err == nil && fetchurl.DataOnly.Check(t.Context(), address, nil) != nil &&
			!strings.HasPrefix(strings.ToLower(address), "http") {
			t.Errorf("%q is taken", address)
		}
	})
}
