package signature_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"pgregory.net/rapid"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/signature"
)

var self = common.HexToAddress("0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1")

// purposes draw what each maker of messages is given, as an attacker would choose it
// where a peer can, and say which bytes it hashes (or signs as they are, for text).
var purposes = map[string]func(*rapid.T) []byte{
	"ping":    func(t *rapid.T) []byte { return rapid.SliceOfN(rapid.Byte(), 1, 31).Draw(t, "ping") },
	"request": func(*rapid.T) []byte { return signature.Request(self) },
	"segment": func(t *rapid.T) []byte {
		names := rapid.SliceOfN(rapid.String(), 0, 12).Draw(t, "names")
		number := core.SegmentNumber(rapid.Int64().Draw(t, "number"))
		return signature.Segment(core.ManifestID(hostileName(t)), number, drawHash(t), names)
	},
	"result": func(t *rapid.T) []byte {
		var out []byte
		for _, data := range rapid.SliceOfN(rapid.SliceOfN(rapid.Byte(), 0, 8), 1, 8).Draw(t, "renditions") {
			h := signature.Keccak256(data)
			out = append(out, h[:]...)
		}
		return out
	},
	"job": func(t *rapid.T) []byte {
		b := fmt.Appendf(nil, `{"a":%q}`, rapid.StringMatching(`[ -~]{0,200}`).Draw(t, "job"))
		if len(b) > 60 && rapid.Bool().Draw(t, "address") {
			copy(b[20:], self[:])
		}
		return b
	},
	"ticket": func(t *rapid.T) []byte {
		b := rapid.SliceOfN(rapid.SampledFrom([]byte{0, 1, '0', 'a', 0xff}), 168, 168).Draw(t, "ticket")
		copy(b[20:], self[:])
		if rapid.Bool().Draw(t, "round") {
			b = append(b, make([]byte, 24)...)
			b = append(b, rapid.SliceOfN(rapid.Byte(), 40, 40).Draw(t, "aux")...)
		}
		return b
	},
}

// hostileName is a stream's name that makes the description look like a ticket of the
// account, or any other.
func hostileName(t *rapid.T) string {
	size := rapid.SampledFrom([]int{0, 1, 8, 96, 104, 160, 168}).Draw(t, "size")
	name := rapid.SliceOfN(rapid.SampledFrom([]byte{0, 'a', '0', 0xff}), size, size).Draw(t, "name")
	if size > 40 && rapid.Bool().Draw(t, "ticket") {
		copy(name[20:], self[:])
	}
	return string(name)
}

func drawHash(t *rapid.T) [signature.HashSize]byte {
	return [signature.HashSize]byte(rapid.SliceOfN(rapid.Byte(), signature.HashSize, signature.HashSize).Draw(t, "hash"))
}

// accepts says which makers take bytes as they are.
var accepts = map[string]func([]byte) bool{
	"ping":    func(b []byte) bool { _, err := signature.PingMessage(b); return err == nil },
	"request": func(b []byte) bool { return bytes.Equal(b, signature.Request(self)) },
	"segment": func(b []byte) bool { _, err := signature.SegmentMessage(self, b); return err == nil },
	"ticket":  func(b []byte) bool { _, err := signature.TicketMessage(self, b); return err == nil },
	"text":    func(b []byte) bool { _, err := signature.TextMessage(b); return err == nil },
	"state":   func(b []byte) bool { _, err := signature.StateMessage(b); return err == nil },
	"job":     func(b []byte) bool { _, err := signature.JobMessage(self, string(b), ""); return err == nil },
}

// No two purposes make the same message, whatever the callers choose.
func TestPurposesDoNotOverlap(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		for purpose, draw := range purposes {
			preimage := draw(t)
			if taken := accepts[purpose]; taken != nil && !taken(preimage) {
				continue // refused: it is never signed
			}
			for other, accept := range accepts {
				if other != purpose && other != "text" && other != "state" && accept(preimage) {
					t.Fatalf("%s takes what %s makes: %x", other, purpose, preimage)
				}
			}
			// A text is signed as it is, the others as a hash.
			if h := signature.Keccak256(preimage); accepts["text"](h[:]) || accepts["state"](h[:]) {
				t.Fatalf("text or state takes the hash of what %s makes: %x", purpose, preimage)
			}
		}
	})
}

// What is signed says what it is for: an honest stream is never refused, and the
// messages are those of the network's formulas.
func TestMessagesAreTheNetworks(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringMatching(`[0-9a-zA-Z_.~-]{0,128}`).Draw(t, "name")
		names := rapid.SliceOfN(rapid.String(), 0, 64).Draw(t, "names")
		description := signature.Segment(core.ManifestID(name), core.SegmentNumber(rapid.Int64().Draw(t, "number")),
			drawHash(t), names)
		m, err := signature.SegmentMessage(self, description)
		if want := signature.Keccak256(description); err != nil || !bytes.Equal(m.Bytes(), want[:]) {
			t.Fatalf("%x: %v", description, err)
		}
	})
	data := [][signature.HashSize]byte{signature.Keccak256([]byte("a"))}
	if got, want := signature.ResultMessage(data).Bytes(), signature.Result(data); !bytes.Equal(got, want[:]) {
		t.Errorf("result: %x", got)
	}
	request := signature.Keccak256(signature.Request(self))
	if got := signature.RequestMessage(self).Bytes(); !bytes.Equal(got, request[:]) {
		t.Errorf("request: %x", got)
	}
	if len(signature.Message{}.Bytes()) != 0 {
		t.Error("the zero message has bytes")
	}
}

// A client that pushes a stream under 104 bytes of its choice would otherwise have a
// ticket signed: number and hash are where a ticket has nonce and hash.
func TestSegmentIsNoTicket(t *testing.T) {
	t.Parallel()
	name := make([]byte, 104)
	copy(name[20:], self[:])
	description := signature.Segment(core.ManifestID(name), 1, signature.Keccak256([]byte("random")), nil)
	if !signature.IsTicket(self, description) || signature.IsTicket(common.Address{1}, description) {
		t.Error("not known as a ticket of the account, or known as another's")
	}
	if _, err := signature.SegmentMessage(self, description); !errors.Is(err, signature.ErrSegment) {
		t.Error(err)
	}
	if _, err := signature.SegmentMessage(common.Address{1}, description); err != nil {
		t.Error("another account's: ", err)
	}
	for _, size := range []int{0, 167, 169, 231, 233} {
		if _, err := signature.TicketMessage(self, make([]byte, size)); !errors.Is(err, signature.ErrTicket) {
			t.Error(size, err)
		}
	}
}

func TestPings(t *testing.T) {
	t.Parallel()
	for _, value := range []string{"p", "tutti-ping", "2026-11-22T20:12:26Z", "1790012345.123456789", "\x00",
		"\xff\xfe", strings.Repeat("x", 31), "a{"} {
		m, err := signature.PingMessage([]byte(value))
		if want := signature.Keccak256([]byte(value)); err != nil || !bytes.Equal(m.Bytes(), want[:]) {
			t.Errorf("%q: %v", value, err)
		}
	}
	for _, value := range []string{"", strings.Repeat("x", 32), strings.Repeat("x", 168), "{}", "\n {", "0x1", "0X1",
		string(self[:])} {
		if _, err := signature.PingMessage([]byte(value)); !errors.Is(err, signature.ErrPing) {
			t.Errorf("%q was taken", value)
		}
	}
}

func TestTexts(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"hello", "two\r\nlines\t.", "Grüße 🙂", "0x12", `{"a":1}`, "[1]", "deadbeef",
		strings.Repeat("x", 33),
		"I am " + self.Hex(), "null"} {
		if m, err := signature.TextMessage([]byte(text)); err != nil || string(m.Bytes()) != text {
			t.Errorf("%q: %v", text, err)
		}
	}
	for _, text := range []string{"", strings.Repeat("x", 32), "a\x00", "\x1b[2J", "\x7f", "\xff", self.Hex(), " " +
		strings.ToUpper(self.Hex()) + "\n",
		hex.EncodeToString(make([]byte, 232)), "0x" + strings.Repeat("a", 41), `{"StateID":""}`,
		` {"x":1,"stateid":2} `} {
		if _, err := signature.TextMessage([]byte(text)); !errors.Is(err, signature.ErrText) {
			t.Errorf("%q was taken", text)
		}
	}
}

// A state and a text are signed as they are, so no bytes may be both.
func TestStates(t *testing.T) {
	t.Parallel()
	for _, state := range []string{`{"StateID":"5e38c5aa","Type":"live","App":""}`,
		`{"x":"` + strings.Repeat("y", 64) + `","stateid":1}`} {
		m, err := signature.StateMessage([]byte(state))
		if err != nil || string(m.Bytes()) != state {
			t.Errorf("%q: %v", state, err)
		}
		if _, err := signature.TextMessage([]byte(state)); !errors.Is(err, signature.ErrText) {
			t.Errorf("%q is a text too", state)
		}
	}
	for _, text := range []string{"",
		`{"StateID":"x"}`, strings.Repeat("x", 40), `{"State":"` + strings.Repeat("y", 40) + `"}`,
		`{"StateID":"` + strings.Repeat("y", 40) + "\x00" + `"}`} {
		if _, err := signature.StateMessage([]byte(text)); !errors.Is(err, signature.ErrState) {
			t.Errorf("%q was taken", text)
		}
	}
}
