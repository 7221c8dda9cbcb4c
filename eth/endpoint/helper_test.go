package endpoint

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"

	"github.com/ethereum/go-ethereum"
)

type rawParam = json.RawMessage

func discard() *slog.Logger { return slog.New(slog.DiscardHandler) }

func calls(n int) []ethereum.CallMsg { return make([]ethereum.CallMsg, n) }

// broken answers a page instead of JSON-RPC.
func broken(w http.ResponseWriter, _ *http.Request) bool {
	_, _ = w.Write([]byte("<html>down</html>"))
	return true
}

func readBody(r *http.Request) []byte {
	body, _ := io.ReadAll(r.Body)
	return body
}

func containsHang(answer []byte) bool { return bytes.Contains(answer, []byte(`"hang"`)) }
