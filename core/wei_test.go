package core_test

import (
	"math/big"
	"testing"

	"github.com/tuttinode/tutti/core"
)

func TestParseWei(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ in, want string }{
		{"1e12", "1000000000000"}, {"1.5e3", "1500"}, {"007", "7"}, {"0", "0"}, {"1E+2", "100"}, {"2.50e1", "25"},
		{"", ""}, {"-1", ""}, {"+1", ""}, {"0x10", ""}, {"1.5", ""}, {"1e", ""}, {"1e-3", ""}, {"1_000", ""}, {" 1", ""},
		{"1e101", ""}, {".5e1", ""},
		{"115792089237316195423570985008687907853269984665640564039457584007913129639935",
			"115792089237316195423570985008687907853269984665640564039457584007913129639935"},
		{"115792089237316195423570985008687907853269984665640564039457584007913129639936", ""},
	} {
		w, err := core.ParseWei(c.in)
		if err != nil && c.want != "" || err == nil && w.String() != c.want {
			t.Errorf("wei %q: %v, %v", c.in, w, err)
		}
	}
}

// Amounts are copied at the boundary, both ways.
func TestWeiIsImmutable(t *testing.T) {
	t.Parallel()
	n := big.NewInt(5)
	w, err := core.WeiOf(n)
	if err != nil {
		t.Fatal(err)
	}
	n.SetInt64(6)
	w.Big().SetInt64(7)
	if w.String() != "5" || w.IsZero() || w.Cmp(core.NewWei(6)) != -1 {
		t.Errorf("the amount became %v", w)
	}
	if zero := (core.Wei{}); !zero.IsZero() || zero.String() != "0" || zero.Cmp(core.NewWei(0)) != 0 {
		t.Errorf("the zero value is %v", zero)
	}
	for _, bad := range []*big.Int{big.NewInt(-1), new(big.Int).Lsh(big.NewInt(1), 256)} {
		if w, err := core.WeiOf(bad); err == nil {
			t.Errorf("%v is taken as %v", bad, w)
		}
	}
	var read core.Wei
	if err := read.UnmarshalText([]byte("1e3")); err != nil || read.String() != "1000" {
		t.Errorf("1e3 is read as %v, %v", read, err)
	}
}
