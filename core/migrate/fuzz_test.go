package migrate

import (
	"encoding/hex"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
)

// A number is the same however it was kept.
func TestNumbersInEveryClass(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := new(big.Int).SetBytes(rapid.SliceOfN(rapid.Byte(), 0, 32).Draw(t, "bytes"))
		for _, c := range []cell{{classBlob, n.Bytes()}, {"text", []byte(n.String())}, {"text", []byte("0x" + n.Text(16))},
			{"integer", []byte(n.String())}, {classBlob, n.FillBytes(make([]byte, 32))}} {
			got, err := c.number()
			if err != nil || got.Cmp(n) != 0 {
				t.Fatalf("%+v: %v %v, want %v", c, got, err, n)
			}
		}
	})
}

func TestBytesInEveryClass(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var want, got protocol.Hash
		copy(want[:], rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(t, "bytes"))
		for _, c := range []cell{{classBlob, want[:]}, {"text", []byte(want.String())},
			{"text", []byte(hex.EncodeToString(want[:]))}, {classBlob, []byte(want.String())}} {
			got = protocol.Hash{}
			if err := c.fixed(got[:]); err != nil || got != want {
				t.Fatalf("%+v: %v %v", c, got, err)
			}
		}
	})
}

// FuzzTicket: no row of a database makes a ticket that is not good.
func FuzzTicket(f *testing.F) {
	f.Add("blob", []byte{1}, "text", []byte("0x12"))
	f.Add("null", []byte(nil), "real", []byte("1e30"))
	f.Add("integer", []byte("-1"), "text",
		[]byte("115792089237316195423570985008687907853269984665640564039457584007913129639936"))
	f.Fuzz(func(t *testing.T, class string, a []byte, other string, b []byte) {
		row := make([]cell, len(columns()))
		for i := range row {
			row[i] = cell{class, a}
			if i%2 == 1 {
				row[i] = cell{other, b}
			}
		}
		ticket, err := ticketOf(row)
		if err == nil && ticket.check() != nil {
			t.Error("a bad ticket was taken", ticket)
		}
		for _, c := range row {
			if n, err := c.number(); err == nil && (n.Sign() < 0 || n.BitLen() > 256) {
				t.Errorf("%+v is %v", c, n)
			}
			if n, err := c.small(); err == nil && n > 1<<63-1 {
				t.Errorf("%+v is %v", c, n)
			}
		}
	})
}

// FuzzKeyFile: any file in a keystore is a key file with an address, or none.
func FuzzKeyFile(f *testing.F) {
	f.Add([]byte(`{"address":"aabb000000000000000000000000000000000001","crypto":{}}`))
	f.Add([]byte(`{"address":"0xzz","Crypto":{}}`))
	f.Add([]byte(`[]`))
	f.Fuzz(func(t *testing.T, content []byte) {
		if owner, ok := parseKey(content); !ok && owner != (core.Address{}) {
			t.Error(owner)
		}
	})
}
