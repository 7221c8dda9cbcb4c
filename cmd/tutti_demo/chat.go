package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
)

// chat asks a model through the gateway and returns the text that it streams, of
// at most so many tokens.
func chat(ctx context.Context, client *http.Client, gateway, id string, tokens int) (string, error) {
	body, err := json.Marshal(map[string]any{
		"model": id, "stream": true, "max_tokens": tokens,
		"messages": []map[string]string{{"role": "user", "content": "Hello!"}},
	})
	if err != nil {
		return "", err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, gateway+"/v1/chat/completions", bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := client.Do(req)
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(res.Body, 4<<10))
		return "", fmt.Errorf("the gateway answers %s: %s", res.Status, text)
	}
	return readEvents(res.Body)
}

// readEvents puts the pieces of a streamed answer together.
func readEvents(r io.Reader) (string, error) {
	text, done := "", false
	for lines := bufio.NewScanner(r); lines.Scan(); {
		data, ok := bytes.CutPrefix(lines.Bytes(), []byte("data: "))
		if !ok {
			continue
		}
		if string(data) == "[DONE]" {
			done = true
			continue
		}
		var event struct {
			Choices []struct {
				Delta struct {
					Content string `json:"content"`
				} `json:"delta"`
			} `json:"choices"`
			Error json.RawMessage `json:"error"`
		}
		if err := json.Unmarshal(data, &event); err != nil {
			return text, err
		}
		if event.Error != nil {
			return text, fmt.Errorf("the stream broke: %s", event.Error)
		}
		for _, c := range event.Choices {
			text += c.Delta.Content
		}
	}
	if !done {
		return text, errors.New("the stream ends without [DONE]")
	}
	return text, nil
}
