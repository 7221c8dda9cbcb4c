package verb_test

import (
	"errors"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tuttinode/tutti/cmd/tutti_cli/verb"
	"github.com/tuttinode/tutti/core"
)

// outcome is what a parser said, as one text.
func outcome[T interface{ String() string }](v T, err error) string {
	d, unusual := errors.AsType[*verb.UnusualInput](err)
	switch {
	case unusual:
		return "unusual: " + d.Why
	case err != nil:
		return "error: " + err.Error()
	}
	return v.String()
}

func TestStake(t *testing.T) {
	t.Parallel()
	tests := []struct{ text, want string }{
		{"1000", "1000000000000000000000"},
		{"0.5", "500000000000000000"},
		{" 12.000000000000000001 ", "12000000000000000001"},
		{"3LPT", "3000000000000000000"},
		{"3 lpt", "3000000000000000000"},
		{"1000000000000000000LPTU", "1000000000000000000"},
		{"7lptu", "7"},
		{"999999999999999", "999999999999999000000000000000000"},
		{"1000000000000000", "unusual: 1000000000000000 whole tokens"},
		{"1000000000000000LPT", "1000000000000000000000000000000000"},
		{"0", "0"},
		{"1e3", "error: not an amount of the stake token"},
		{"-1", "error"}, {"", "error"}, {"LPT", "error"}, {".5", "error"}, {"1.", "error"}, {"0.5LPTU", "error"},
		{"1,000", "error"}, {"1ETH", "error"}, {"0.1234567890123456789", "error"}, {strings.Repeat("9", 61), "error"},
		{strings.Repeat("9", 60), "error"},
	}
	for _, tt := range tests {
		if got := outcome(verb.ParseStake(tt.text, verb.Strict)); !strings.HasPrefix(got, tt.want) {
			t.Errorf("%q: %s, want %s", tt.text, got, tt.want)
		}
	}
	if got := outcome(verb.ParseStake("1000000000000000000",
		verb.Trust)); got != "1000000000000000000000000000000000000" {
		t.Error(got)
	}
}

func TestEther(t *testing.T) {
	t.Parallel()
	tests := []struct{ text, want string }{
		{"0.1ETH", "100000000000000000"}, {"5gwei", "5000000000"}, {"100wei", "100"}, {"1.5 Gwei", "1500000000"},
		{"0", "0"}, {"2ether", "2000000000000000000"},
		{"0.1", "error: the unit is missing"}, {"100", "error: the unit is missing"},
		{"0.5wei", "error: finer"}, {"0.0000000001gwei", "error: finer"},
		{"ETH", "error: not"}, {"1LPT", "error: not"}, {"-1ETH", "error: not"}, {"", "error: not"}, {"1e18wei", "error: not"},
	}
	for _, tt := range tests {
		if got := outcome(verb.ParseEther(tt.text)); !strings.HasPrefix(got, tt.want) {
			t.Errorf("%q: %s, want %s", tt.text, got, tt.want)
		}
	}
	for text, want := range map[string]string{"0": "0", "100000000": "100000000", "0.1gwei": "100000000",
		"1e9": "1000000000", "x": "error: not an amount of ETH", "0.5": "error: not a price of gas"} {
		if got := outcome(verb.ParseGasPrice(text)); !strings.HasPrefix(got, want) {
			t.Errorf("gas %q: %s, want %s", text, got, want)
		}
	}
}

func TestCuts(t *testing.T) {
	t.Parallel()
	tests := []struct{ text, reward, fee string }{
		{"10", "10", "10"}, {"12.5%", "12.5", "12.5"}, {"12.5 %", "12.5", "12.5"},
		{"100", "unusual: with a reward cut of 100 %", "100"},
		{"0", "0", "unusual: with a fee cut of 0"},
		{"0.1", "unusual: a reward cut of 0.1 could be 0.1 % or 10 %", "unusual: a fee cut of 0.1 could be"},
		{"0.95", "unusual: a reward cut of 0.95 could be 0.95 % or 95 %", "unusual"},
		{"0.1%", "0.1", "0.1"},
		{"101", "error", "error"}, {"-1", "error", "error"}, {"", "error", "error"}, {"ten", "error", "error"},
		{"0.12345", "error", "error"},
	}
	for _, tt := range tests {
		if got := outcome(verb.ParseRewardCut(tt.text, verb.Strict)); !strings.HasPrefix(got, tt.reward) {
			t.Errorf("reward cut %q: %s, want %s", tt.text, got, tt.reward)
		}
		if got := outcome(verb.ParseFeeCut(tt.text, verb.Strict)); !strings.HasPrefix(got, tt.fee) {
			t.Errorf("fee cut %q: %s, want %s", tt.text, got, tt.fee)
		}
	}
}

func TestPrice(t *testing.T) {
	t.Parallel()
	tests := []struct {
		text, currency string
		pixels         core.Pixels
		want           string
	}{
		{"1200", "", 1, "1200 wei per 1"}, {"1200", "Wei", 1, "1200 wei per 1"}, {"1200wei", "", 10, "1200 wei per 10"},
		{"0.50USD", "", 1000000, "0.5USD per 1000000"}, {"0.50", "USD", 1, "0.5USD per 1"},
		{"0.50usd", "USD", 1, "0.5usd per 1"},
		{"1", "ETH", 1, "unusual: that is 1 ETH for every single pixel"},
		{"1", "ETH", 1_000_000_000_000, "1ETH per 1000000000000"},
		{"0.5", "", 1, "error: a fraction without a currency"},
		{"1USD", "EUR", 1, "error: the price names USD"},
		{"0", "", 1, "unusual: a price of 0"}, {"0", "USD", 1, "unusual: a price of 0"},
		{"1000000000000", "", 1, "unusual: that is 0.000001 ETH"}, {"1000000000000", "", 2, "1000000000000 wei per 2"},
		{"999999999999", "", 1, "999999999999 wei per 1"},
		{"", "", 1, "error: not a price"}, {"-5", "", 1, "error"}, {"x", "", 1, "error"},
	}
	for _, tt := range tests {
		if got := outcome(verb.ParsePrice(tt.text, tt.currency, tt.pixels, verb.Strict)); !strings.HasPrefix(got,
			tt.want) {
			t.Errorf("%q %q %d: %s, want %s", tt.text, tt.currency, tt.pixels, got, tt.want)
		}
	}
}

func TestServiceURI(t *testing.T) {
	t.Parallel()
	tests := []struct {
		text, want string
		local      bool
	}{
		{"https://node.example.com:8935", "https://node.example.com:8935", false},
		{" https://Node.Example.com:8935/ ", "https://node.example.com:8935", false},
		{"https://8.8.8.8:8935", "https://8.8.8.8:8935 bare", false},
		{"https://[2606:4700::1111]:8935", "https://[2606:4700::1111]:8935 bare", false},
		{"https://127.0.0.1:8935", "https://127.0.0.1:8935 bare", true},
		{"https://localhost:8935", "https://localhost:8935", true},
		{"https://127.0.0.1:8935", "error: 127.0.0.1 is no public", false}, {"https://10.0.0.1:8935", "error", false},
		{"https://100.64.1.1:8935", "error", false}, {"https://[fe80::1]:8935", "error", false},
		{"https://0.0.0.0:8935", "error: 0.0.0.0 is not", true},
		{"https://node.lan:8935", "https://node.lan:8935", true},
		{"https://-a.lan:8935", `error: "-a.lan" is not a host name`, true},
		{"https://localhost:8935", "error", false}, {"https://box:8935", "error", false},
		{"https://box.local:8935", "error", false},
		{"https://1.2.3:8935", "error", false}, {"http://node.example.com:8935", "error: not a service", false},
		{"node.example.com:8935", "error: not a service", false},
		{"https://node.example.com", "error: the port is missing", false},
		{"https://node.example.com:0", "error: the port", false}, {"https://node.example.com:99999", "error", false},
		{"https://u:p@node.example.com:8935", "error", false}, {"https://node.example.com:8935/x", "error", false},
		{"https://node.example.com:8935?a", "error", false}, {"https://-a.example.com:8935", "error", false},
		{"", "error", false},
	}
	for _, tt := range tests {
		u, err := verb.ParseServiceURI(tt.text, tt.local)
		got := u.Text
		if u.BareIP {
			got += " bare"
		}
		if err != nil {
			got = "error: " + err.Error()
		}
		if !strings.HasPrefix(got, tt.want) || tt.want == "" {
			t.Errorf("%q: %s, want %s", tt.text, got, tt.want)
		}
	}
}

func TestWriting(t *testing.T) {
	t.Parallel()
	tests := []struct{ got, want string }{
		{verb.FormatStake(core.NewLPT(0)), "0 LPT"},
		{verb.FormatStake(core.NewLPT(9_999_999_999_999_999)), "9999999999999999 LPTU"},
		{verb.FormatStake(core.NewLPT(10_000_000_000_000_000)), "0.01 LPT"}, {verb.FormatEther(core.NewWei(5)), "5 wei"},
		{verb.FormatEther(core.NewWei(999_999)), "999999 wei"}, {verb.FormatEther(core.NewWei(1_000_000)), "0.001 gwei"},
		{verb.FormatEther(core.NewWei(0)), "0 ETH"}, {verb.FormatEther(core.NewWei(1_000_000_000_000_000)), "0.001 ETH"},
		{verb.FormatEther(core.NewWei(1_500_000_000_000_000_000)), "1.5 ETH"},
		{verb.FormatEther(core.NewWei(35_000_000_000_000)), "35000 gwei"},
		{verb.FormatGasPrice(core.NewWei(100_000_000)), "0.1 gwei"},
		{verb.FormatGasPrice(core.NewWei(2_000_000_000)), "2 gwei"},
		{verb.FormatPercent(125_000), "12.5 %"},
	}
	for _, tt := range tests {
		if tt.got != tt.want {
			t.Errorf("got %q, want %q", tt.got, tt.want)
		}
	}
}

// anyAmount is any amount that fits in 160 bits.
var anyAmount = rapid.Custom(func(t *rapid.T) *big.Int {
	return new(big.Int).SetBytes(rapid.SliceOfN(rapid.Byte(), 0, 20).Draw(t, "bytes"))
})

func TestStakeIsReadAsItIsWritten(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		l, err := core.LPTOf(anyAmount.Draw(t, "amount"))
		if err != nil {
			t.Skip(err)
		}
		back, err := verb.ParseStake(verb.FormatStake(l), verb.Strict)
		if err != nil || back.Cmp(l) != 0 {
			t.Errorf("%s is read as %s, %v", verb.FormatStake(l), back, err)
		}
	})
}

func TestEtherIsReadAsItIsWritten(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w, err := core.WeiOf(anyAmount.Draw(t, "amount"))
		if err != nil {
			t.Skip(err)
		}
		for _, text := range []string{verb.FormatEther(w), verb.FormatGasPrice(w), w.String() + "wei", w.Ether() + "ETH"} {
			if back, err := verb.ParseEther(text); err != nil || back.Cmp(w) != 0 {
				t.Errorf("%s is read as %s, %v", text, back, err)
			}
		}
	})
}

// Each reading of a doubt, trusted, is readable; the first is what the text says.
func TestReadingsAreReadable(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[0-9]{1,25}(\.[0-9]{1,4})?%?`).Draw(t, "text")
		for name, parse := range map[string]func(string, verb.InputCheck) error{
			"stake":  func(s string, c verb.InputCheck) error { _, err := verb.ParseStake(s, c); return err },
			"reward": func(s string, c verb.InputCheck) error { _, err := verb.ParseRewardCut(s, c); return err },
			"fee":    func(s string, c verb.InputCheck) error { _, err := verb.ParseFeeCut(s, c); return err },
			"price":  func(s string, c verb.InputCheck) error { _, err := verb.ParsePrice(s, "", 1, c); return err },
		} {
			d, ok := errors.AsType[*verb.UnusualInput](parse(text, verb.Strict))
			if !ok {
				continue
			}
			for _, r := range d.Readings {
				if err := parse(r.Text, verb.Trust); err != nil {
					t.Errorf("%s %q: reading %q: %v", name, text, r.Text, err)
				}
			}
		}
	})
}

func FuzzParsers(f *testing.F) {
	for _, s := range []string{"1000", "0.5ETH", "1e18", "100%", "0.5USD", "https://a.b:1", "\x00", "1LPTU"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, check := range []verb.InputCheck{verb.Strict, verb.Trust} {
			if l, err := verb.ParseStake(s, check); err == nil {
				if back, err := verb.ParseStake(verb.FormatStake(l), verb.Strict); err != nil || back.Cmp(l) != 0 {
					t.Errorf("%q: %s: %v", s, verb.FormatStake(l), err)
				}
			}
			_, _ = verb.ParseRewardCut(s, check)
			_, _ = verb.ParseFeeCut(s, check)
			_, _ = verb.ParsePrice(s, "", 1, check)
			_, _ = verb.ParsePrice(s, "USD", 1, check)
		}
		_, _ = verb.ParseEther(s)
		_, _ = verb.ParseGasPrice(s)
		_, _ = verb.ParseGasBound(s, true, core.NewWei(1), verb.Strict)
		if u, err := verb.ParseServiceURI(s, false); err == nil {
			if again, err := verb.ParseServiceURI(u.Text, false); err != nil || again != u {
				t.Errorf("%q: %q: %v", s, u.Text, err)
			}
		}
	})
}
