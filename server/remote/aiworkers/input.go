package aiworkers

import (
	"encoding/hex"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/remote"
)

const (
	// inputsPath is where workers of the network fetch the files of jobs.
	inputsPath = "/aiInputs/"
	// idBytes make a name that cannot be guessed.
	idBytes = 16
	// A fetch may take inputTime, plus one second per inputPace bytes.
	inputTime = 10 * time.Second
	inputPace = 1 << 20
)

// inputs are the files of jobs in progress, under names that only their workers know.
type inputs struct {
	random io.Reader

	mu   sync.Mutex
	byID map[string][]byte // guarded by mu
}

func newInputs(random io.Reader) *inputs {
	return &inputs{random: random, byID: make(map[string][]byte)}
}

// put keeps data, which must not change, until take is called, and names its path.
func (in *inputs) put(data []byte) (path string, take func(), err error) {
	var id [idBytes]byte
	if _, err := io.ReadFull(in.random, id[:]); err != nil {
		return "", nil, fault.Wrap(fault.Unexpected, "put up a job's input", err)
	}
	name := hex.EncodeToString(id[:])
	in.mu.Lock()
	defer in.mu.Unlock()
	in.byID[name] = data
	return inputsPath + name, func() {
		in.mu.Lock()
		defer in.mu.Unlock()
		delete(in.byID, name)
	}, nil
}

func (in *inputs) serve(w http.ResponseWriter, r *http.Request) {
	in.mu.Lock()
	data, ok := in.byID[r.PathValue("id")]
	in.mu.Unlock()
	if !ok {
		http.NotFound(w, r)
		return
	}
	limit := inputTime + time.Duration(len(data))*time.Second/inputPace
	// A server without deadlines has none to set.
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(limit))
	w.Header().Set("Content-Type", http.DetectContentType(data))
	w.Header().Set("Content-Length", strconv.Itoa(len(data)))
	_, _ = w.Write(data)
}

// inputBase returns the URL from which a worker fetches inputs: the address that it dialed, which
// it can reach, else the service address.
func (p *Pool) inputBase(conn *remote.StreamConn) string {
	host := conn.Host()
	if host == "" || strings.ContainsAny(host, "/\\?#@ \t") {
		return p.opt.ServiceURI
	}
	if conn.Secure() {
		return "https://" + host
	}
	return "http://" + host
}
