package config_test

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core"
)

// roundTrip checks that what a value prints is read as the same value.
func roundTrip[T interface{ String() string }](t *rapid.T, v T, parse func(string) (T, error)) {
	text := v.String()
	again, err := parse(text)
	if err != nil {
		t.Fatalf("%q is not read: %v", text, err)
	}
	if again.String() != text {
		t.Fatalf("%q became %q", text, again.String())
	}
}

func TestPrintedValuesAreRead(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var bytes20 core.Address
		copy(bytes20[:], rapid.SliceOfN(rapid.Byte(), 20, 20).Draw(t, "address"))
		roundTrip(t, bytes20, core.ParseAddress)

		roundTrip(t, core.NewWei(rapid.Uint64().Draw(t, "wei")), core.ParseWei)

		size := config.ByteSize(rapid.Int64Range(0, 999_999_999_999_999_999).Draw(t, "size"))
		roundTrip(t, size, config.ParseByteSize)
		if again, _ := config.ParseByteSize(size.String()); again != size {
			t.Fatalf("%d became %d", size, again)
		}

		ids := slices.Compact(slices.Sorted(slices.Values(rapid.SliceOfN(rapid.IntRange(0, 31), 1, 8).Draw(t,
			"devices"))))
		roundTrip(t, config.Devices{IDs: ids}, config.ParseDevices)

		host := rapid.SampledFrom([]string{"h.example.org", "127.0.0.1", "::1", "2001:db8::7", "a_b-c"}).Draw(t, "host")
		h := config.HostPort{Plaintext: rapid.Bool().Draw(t, "plain"), Host: host,
			Port: rapid.IntRange(0, 65535).Draw(t, "port")}
		roundTrip(t, config.ServiceAddr{HostPort: h}, config.ParseServiceAddr)
		if again, _ := config.ParseServiceAddr(h.String()); again.HostPort != h {
			t.Fatalf("%+v became %+v", h, again.HostPort)
		}

		price := rapid.StringMatching(`(0|[1-9][0-9]{0,20})(\.[0-9]{1,12})?(e-?[0-9])?(USD|eur|ETH)`).Draw(t, "price")
		p, err := core.ParsePrice(price)
		if err != nil {
			t.Fatalf("%q: %v", price, err)
		}
		roundTrip(t, p, core.ParsePrice)
		if again, _ := core.ParsePrice(p.String()); again.Amount().Cmp(p.Amount()) != 0 {
			t.Fatalf("%q became %v", price, again)
		}

		roundTrip(t, config.Sessions{N: rapid.IntRange(1, math.MaxInt32).Draw(t, "sessions")}, config.ParseSessions)
		roundTrip(t, config.MemoryLimit{Bytes: 64_000_000 + size/2}, config.ParseMemoryLimit)
	})
	rapid.Check(t, func(t *rapid.T) {
		roundTrip(t, rapid.SampledFrom([]config.Switch{config.On, config.Off}).Draw(t, "switch"), config.ParseSwitch)
	})
	for _, fixed := range []interface{ String() string }{config.Devices{All: true}, config.Sessions{Auto: true},
		config.MemoryLimit{Auto: true}, config.MemoryLimit{}} {
		text := fixed.String()
		if text != "all" && text != "auto" && text != "0" {
			t.Errorf("%#v prints %q", fixed, text)
		}
	}
}

func TestValues(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ in, want string }{
		{"256MB", "256000000"}, {"1GiB", "1073741824"}, {"3 kb", "3000"}, {"10", "10"}, {"2g", "2000000000"},
		{"0", "0"},
		{"1iB", ""}, {"-1", ""}, {"1.5GB", ""}, {"", ""}, {"9999999999TB", ""}, {"9EB", ""},
	} {
		n, err := config.ParseByteSize(c.in)
		if err != nil && c.want != "" || err == nil && core.NewWei(uint64(n)).String() != c.want {
			t.Errorf("size %q: %d, %v", c.in, n, err)
		}
	}
	for _, c := range []struct{ in, want string }{
		{"1200", "1200"}, {"1200wei", "1200"}, {"1e3", "1000"}, {"0", "0"}, {"0.50USD", "0.5USD"},
		{"0.5e-2USD", "0.005USD"}, {"1EUR", "1EUR"},
		{"0.5", ""}, {"", ""}, {"USD", ""}, {"-1USD", ""}, {"1 USD", ""}, {"1e999USD", ""}, {"0.5wei", ""},
	} {
		p, err := core.ParsePrice(c.in)
		if err != nil && c.want != "" || err == nil && (p.String() != c.want || !p.IsSet()) {
			t.Errorf("price %q: %q, %v", c.in, p, err)
		}
	}
	for _, c := range []struct{ in, want string }{
		{"h.example.org", "https://h.example.org:8935"}, {"http://h:1/", "http://h:1"},
		{"HTTPS://h", "https://h:8935"}, {"::1", "https://[::1]:8935"},
		{"[::1]", "https://[::1]:8935"}, {"[fe80::1]:9", "https://[fe80::1]:9"}, {"none", "none"},
		{"", ""}, {":1", ""}, {"8935", ""}, {"h:", ""}, {"h:x", ""}, {"h:1:2", ""}, {"user@h", ""}, {"h/x", ""},
		{"https://", ""}, {"-h", ""}, {"a b", ""}, {"[h]:1", "https://h:1"},
	} {
		a, err := config.ParseServiceAddr(c.in)
		if err != nil && c.want != "" || err == nil && a.String() != c.want {
			t.Errorf("address %q: %q, %v", c.in, a, err)
		}
	}
	if (core.Price{}).IsSet() || (core.Price{}).String() != "" || (core.Price{}).Amount().Sign() != 0 {
		t.Error("an unset price has a value")
	}
}
