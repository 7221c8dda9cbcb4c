package price

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/tuttinode/tutti/core"
)

// speechPrice is for a thousandth of a character, which is what orchestrators of the network debit.
const speechPrice = 100_000

// speechText has more bytes than characters. At speechPrice it costs more than a ticket of oddEV.
var speechText = strings.Repeat("ü", 20_000)

// silence is a short WAV file.
func silence() []byte {
	const rate, samples = 8000, 800
	b := append([]byte("RIFF"), 0, 0, 0, 0)
	b = append(b, "WAVEfmt "...)
	b = binary.LittleEndian.AppendUint32(b, 16)
	b = binary.LittleEndian.AppendUint16(b, 1)
	b = binary.LittleEndian.AppendUint16(b, 1)
	b = binary.LittleEndian.AppendUint32(b, rate)
	b = binary.LittleEndian.AppendUint32(b, rate*2)
	b = binary.LittleEndian.AppendUint16(b, 2)
	b = binary.LittleEndian.AppendUint16(b, 16)
	b = append(b, "data"...)
	b = binary.LittleEndian.AppendUint32(b, samples*2)
	b = append(b, make([]byte, samples*2)...)
	binary.LittleEndian.PutUint32(b[4:], uint32(len(b)-8))
	return b
}

func speechAnswer(w http.ResponseWriter) {
	w.Header().Set("Content-Type", object)
	_, _ = fmt.Fprintf(w, `{"audio":{"url":"data:audio/wav;base64,%s"}}`, base64.StdEncoding.EncodeToString(silence()))
}

// TestSpeechIsPaidAsItIsDebited has orchestrators of the network speak texts, for which they debit 1000 units
// for each character. None of them runs out of balance, refuses a paid job or is stopped for it.
func TestSpeechIsPaidAsItIsDebited(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "-maxPricePerUnit", fmt.Sprint(1000*speechPrice))
	refused := 0
	for _, o := range []*orchestrator{w.cheat, w.honest} {
		o.with(func() {
			o.ev, o.price, o.answer = core.NewWei(oddEV), speechPrice, speechAnswer
			o.units = 1000 * int64(utf8.RuneCountInString(speechText))
			o.reply = func(http.ResponseWriter, *http.Request, []byte) bool {
				o.mu.Lock()
				defer o.mu.Unlock()
				for _, b := range o.balances {
					if f := gwei(b); f < oddEV/1e9 {
						refused++
					}
				}
				return false
			}
		})
	}
	speak := func() (int, string) {
		return w.request("/text-to-speech", fmt.Sprintf(`{"model_id":%q,"text":%q}`, networkModel, speechText))
	}
	w.gateway.Wait("a speech that is paid", 30*time.Second, func() bool {
		status, _ := speak()
		return status == http.StatusOK
	})
	for i := range rounds(16) {
		if status, body := speak(); status != http.StatusOK {
			t.Errorf("job %d: %d %.300s", i, status, body)
		}
	}
	for _, o := range []*orchestrator{w.cheat, w.honest} {
		paid, worked, served := o.books()
		t.Logf("%s was paid %.0f gwei for work worth %.0f gwei (%d jobs)", o.account, paid, worked, served)
		if paid < worked {
			t.Errorf("%s was paid %.0f gwei for work of %.0f", o.account, paid, worked)
		}
		if most := worked*1.01 + 2*oddEV/1e9; paid > most {
			t.Errorf("%s was paid %.0f gwei, at most %.0f is what it debits", o.account, paid, most)
		}
	}
	if refused > 0 {
		t.Errorf("%d paid jobs met a balance below a ticket", refused)
	}
	if names := w.conditions(stopped); len(names) != 0 {
		t.Errorf("stopped: %v", names)
	}
}
