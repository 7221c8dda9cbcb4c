package node

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/gpu/card"
	"github.com/tuttinode/tutti/test/harness"
)

// orderTime bounds the answer to an order: a driver may take its time with a large GPU.
const orderTime = 60 * time.Second

// beside is the test program as an AI runner, a process beside the node on one GPU.
type beside struct {
	url string
	pid int
	in  io.WriteCloser
	// said are the lines that it prints, closed at its end.
	said chan string
}

// startBeside starts one that ends with the test.
func startBeside(t *testing.T, c *card.Card) *beside {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, runnerArg)
	cmd.Env = append(os.Environ(), c.Env()...)
	if c.Real() && c.UUID != "" {
		cmd.Env = append(cmd.Env, "CUDA_VISIBLE_DEVICES="+c.UUID)
	}
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	b := &beside{said: make(chan string, 16)}
	out, err := cmd.StdoutPipe()
	if err == nil {
		b.in, err = cmd.StdinPipe()
	}
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	b.pid = cmd.Process.Pid
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			b.said <- lines.Text()
		}
		close(b.said)
		_ = cmd.Wait()
	}()
	t.Cleanup(func() {
		_ = b.in.Close()
		select {
		case <-ended:
		case <-time.After(10 * time.Second):
			_ = cmd.Process.Kill()
			<-ended
		}
	})
	said, err := b.next()
	if err != nil {
		t.Fatal(err)
	}
	b.url = strings.TrimPrefix(said, "serving ")
	return b
}

// next is the next line that it prints.
func (b *beside) next() (string, error) {
	select {
	case said, ok := <-b.said:
		if !ok {
			return "", errors.New("the fake runner ended")
		}
		if why, failed := strings.CutPrefix(said, "failed "); failed {
			return "", errors.New(why)
		}
		return said, nil
	case <-time.After(orderTime):
		return "", fmt.Errorf("the fake runner does not answer within %v", orderTime)
	}
}

// take has it take the GPU's free memory but so many MiB; both results are MiB.
func (b *beside) take(leave int64) (taken, left int64, err error) {
	if _, err = fmt.Fprintf(b.in, "take %d\n", leave); err != nil {
		return 0, 0, err
	}
	said, err := b.next()
	if err == nil {
		_, err = fmt.Sscanf(said, "took %d %d", &taken, &left)
	}
	return taken, left, err
}

// give has it return all memory.
func (b *beside) give() error {
	if _, err := fmt.Fprintln(b.in, "give"); err != nil {
		return err
	}
	_, err := b.next()
	return err
}

// entry is one of aiModels.json.
type entry map[string]any

// external is the runner's model behind its address.
func (b *beside) external() entry {
	return entry{"pipeline": "llm", "model_id": runnerModel, "warm": true, "price_per_unit": 0,
		"pixels_per_unit": 1_000_000, "url": b.url, "capacity": 8}
}

// modelsFile writes aiModels.json.
func modelsFile(t *testing.T, entries ...entry) string {
	t.Helper()
	text, err := json.Marshal(entries)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "aiModels.json")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// chat asks the runner's model through the node's gateway, and reads the answer to its
// end.
func (n *node) chat() error {
	body := fmt.Sprintf(`{"model":%q,"stream":true,"max_tokens":64,"messages":[{"role":"user","content":"count"}]}`,
		runnerModel)
	resp, err := harness.Client().Post("http://"+n.gateway+"/v1/chat/completions", "application/json",
		strings.NewReader(body))
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(resp.Body, 4<<10)) // as much as came
		return fmt.Errorf("status %s: %s", resp.Status, strings.TrimSpace(string(text)))
	}
	words := 0
	lines := bufio.NewScanner(resp.Body)
	for lines.Scan() {
		if strings.Contains(lines.Text(), "[DONE]") {
			if words != runnerTokens {
				return fmt.Errorf("an answer of %d words, not %d", words, runnerTokens)
			}
			return nil
		}
		if strings.Contains(lines.Text(), `"content":"w`) {
			words++
		}
	}
	return fmt.Errorf("the answer broke off after %d words: %w", words, lines.Err())
}
