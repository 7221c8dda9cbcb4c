package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const plainBody = `{"model":"` + modelID + `","messages":[{"role":"user","content":"Say something."}],"max_tokens":64}`

const streamBody = `{"model":"` + modelID +
	`","messages":[{"role":"user","content":"Say something."}],"max_tokens":64,"stream":true}`

// pacedBody asks for so many chunks, one each so many milliseconds.
func pacedBody(chunks, pause int) string {
	return fmt.Sprintf(`{"model":"%s","messages":[{"role":"user","content":"Say something."}],"max_tokens":64,`+
		`"stream":true,"user":"%d %d"}`, modelID, chunks, pause)
}

// apiKey is what the gateways ask for.
const apiKey = "tk-bench-0123456789abcdef"

// client asks one address.
type client struct {
	url  string
	http *http.Client
}

func newClient(url string) *client {
	return &client{url: url + "/v1/chat/completions", http: &http.Client{Transport: transport()}}
}

// ask sends a request and reads the whole answer. received is called at each read.
func (c *client) ask(ctx context.Context, body string, received func(n int)) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, strings.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+apiKey)
	res, err := c.http.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	var tail []byte
	buf := make([]byte, 16<<10)
	for {
		n, err := res.Body.Read(buf)
		if n > 0 {
			if received != nil {
				received(n)
			}
			tail = append(tail[:0], buf[max(0, n-40):n]...)
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("%s: %w after %q", c.url, err, tail)
		}
	}
	switch {
	case res.StatusCode != http.StatusOK:
		return fmt.Errorf("%s: %s: %s", c.url, res.Status, tail)
	case strings.Contains(body, `"stream":true`) && !bytes.Contains(tail, []byte("[DONE]")):
		return fmt.Errorf("%s: the stream ends with %q", c.url, tail)
	}
	return nil
}

// closedLoop sends total requests over workers that each wait for their answer.
func closedLoop(ctx context.Context, c *client, body string, workers, total int) (wall time.Duration, err error) {
	var (
		next atomic.Int64
		wg   sync.WaitGroup
		mu   sync.Mutex
		errs []error
	)
	begin := time.Now()
	for range workers {
		wg.Go(func() {
			for next.Add(1) <= int64(total) {
				if e := c.ask(ctx, body, nil); e != nil {
					mu.Lock()
					errs = append(errs, e)
					mu.Unlock()
					return
				}
			}
		})
	}
	wg.Wait()
	return time.Since(begin), errors.Join(errs...)
}
