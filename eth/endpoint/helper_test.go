package endpoint

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"strconv"

	"github.com/ethereum/go-ethereum"

	"github.com/tuttinode/tutti/eth/contracts"
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

// said tells whether an answer is the fake nodes' own; "" is none.
func said(out []contracts.Result, err error) (string, error) {
	if err != nil {
		return "", err
	}
	return strconv.FormatBool(string(out[0].Data) == "\x2a"), nil
}
