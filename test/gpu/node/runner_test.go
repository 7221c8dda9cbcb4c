package node

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/tuttinode/tutti/test/gpu/cuda"
)

const (
	// runnerArg makes the test program an AI runner in place of running tests.
	runnerArg = "play-ai-runner"
	// runnerModel is what it serves, and runnerTokens the length of its answers.
	runnerModel  = "test/model"
	runnerTokens = 8
	// chunk is how much memory it takes at once, leastChunk the least that it tries.
	chunk, leastChunk = 256 << 20, 2 << 20
)

// playRunner is a model server that holds as much of the GPU's memory as its input
// says: "take N" takes all that is free but N MiB, "give" returns it. It ends with its
// input, so that no memory stays taken when the test is gone.
func playRunner(in io.Reader, out io.Writer) int {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Fprintln(out, "failed", err)
		return 1
	}
	server := &http.Server{Handler: modelServer(), ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = server.Serve(l) }()
	fmt.Fprintf(out, "serving http://%s\n", l.Addr())
	var m cardMemory
	defer m.give()
	for lines := bufio.NewScanner(in); lines.Scan(); {
		order, amount, _ := strings.Cut(lines.Text(), " ")
		switch order {
		case "take":
			leave, err := strconv.ParseInt(amount, 10, 64)
			if err == nil {
				err = m.take(leave << 20)
			}
			if err != nil {
				fmt.Fprintln(out, "failed", strings.Join(strings.Fields(err.Error()), " "))
				continue
			}
			fmt.Fprintln(out, "took", m.taken>>20, m.left>>20)
		case "give":
			m.give()
			fmt.Fprintln(out, "gave")
		}
	}
	return 0
}

// cardMemory is what the runner holds of the GPU.
type cardMemory struct {
	device *cuda.Device
	// taken is how many bytes it holds besides its context, left what was free after.
	taken, left int64
}

// take takes all free memory but the given bytes, and never more than is free.
func (m *cardMemory) take(leave int64) error {
	var err error
	if m.device == nil {
		if m.device, err = cuda.Open(0); err != nil {
			return err
		}
	}
	for step := int64(chunk); ; {
		if m.left, _, err = m.device.Free(); err != nil {
			return err
		}
		bytes := min(step, (m.left-leave)/leastChunk*leastChunk)
		if bytes < leastChunk {
			return nil
		}
		switch _, err = m.device.Take(bytes); {
		case err == nil:
			m.taken += bytes
		case !cuda.Is(err, cuda.OutOfMemory):
			return err
		case step == leastChunk:
			// What is free is in pieces, or another program was faster.
			return nil
		default:
			step = max(leastChunk, step/2)
		}
	}
}

// give returns all memory, the context's included.
func (m *cardMemory) give() {
	if m.device != nil {
		m.device.Close()
	}
	*m = cardMemory{}
}

// modelServer answers as servers of models behind a `url` do.
func modelServer() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /health", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("GET /v1/models", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"object":"list","data":[{"id":%q,"object":"model"}]}`, runnerModel)
	})
	mux.HandleFunc("POST /v1/chat/completions", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		event := func(rest string) error {
			_, err := fmt.Fprintf(w, "data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"model\":%q,%s}\n\n",
				runnerModel, rest)
			return errors.Join(err, http.NewResponseController(w).Flush())
		}
		for i := range runnerTokens {
			if event(fmt.Sprintf(`"choices":[{"index":0,"delta":{"content":"w%d "},"finish_reason":null}]`, i)) != nil {
				return // the client has left
			}
		}
		usage := fmt.Sprintf(`{"prompt_tokens":3,"completion_tokens":%d,"total_tokens":%d}`,
			runnerTokens, runnerTokens+3)
		_ = event(`"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":` + usage)
		_, _ = io.WriteString(w, "data: [DONE]\n\n")
	})
	return mux
}
