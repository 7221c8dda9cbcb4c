package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// plainBody and streamBody ask for at most so many tokens, which is what is paid.
func plainBody(tokens int) string {
	return fmt.Sprintf(`{"model":%q,"messages":[{"role":"user","content":"Count."}],"max_tokens":%d}`, model, tokens)
}

func streamBody(tokens int) string {
	return fmt.Sprintf(`{"model":%q,"messages":[{"role":"user","content":"Count."}],"max_tokens":%d,"stream":true}`,
		model, tokens)
}

// chat is a client of a gateway.
type chat struct {
	url  string
	http *http.Client
}

func newChat(gateway *node) *chat {
	return &chat{url: "http://" + gateway.front + "/v1/chat/completions", http: newClient()}
}

// ask sends a request and reads the whole answer. first is called when something of
// its body has come.
func (c *chat) ask(ctx context.Context, body string, first func()) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, strings.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := c.http.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	text, err := readAnswer(resp.Body, first)
	switch {
	case err != nil:
		return err
	case resp.StatusCode != http.StatusOK:
		return fmt.Errorf("%s: %s", resp.Status, text)
	case strings.Contains(body, `"stream":true`) && !bytes.Contains(text, []byte("[DONE]")):
		return fmt.Errorf("the stream ends with %q", text[max(0, len(text)-100):])
	}
	return nil
}

func readAnswer(r io.Reader, first func()) ([]byte, error) {
	var text []byte
	buf := make([]byte, 16<<10)
	for {
		n, err := r.Read(buf)
		if n > 0 && first != nil {
			first()
			first = nil
		}
		text = append(text, buf[:n]...)
		if errors.Is(err, io.EOF) {
			return text, nil
		}
		if err != nil {
			return text, err
		}
	}
}
