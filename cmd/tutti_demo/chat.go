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
	"time"
)

// fundsSeenWithin is how long a gateway may take to see its new deposit on the chain.
const fundsSeenWithin = 20 * time.Second

// errFundsUnseen is the answer of a gateway that does not see its deposit or reserve yet.
var errFundsUnseen = errors.New("the gateway does not see its funds")

// chat asks a model through the gateway and returns the text that it streams, of
// at most so many tokens.
func chat(ctx context.Context, client *http.Client, gateway, id string, tokens int) (string, error) {
	until := time.Now().Add(fundsSeenWithin)
	for {
		text, err := chatOnce(ctx, client, gateway, id, tokens)
		if !errors.Is(err, errFundsUnseen) || time.Now().After(until) || wait(ctx, 200*time.Millisecond) != nil {
			return text, err
		}
	}
}

func chatOnce(ctx context.Context, client *http.Client, gateway, id string, tokens int) (string, error) {
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
		if bytes.Contains(text, []byte("OwnReserveEmpty")) || bytes.Contains(text, []byte("OwnDepositEmpty")) {
			return "", fmt.Errorf("%w: %s: %s", errFundsUnseen, res.Status, text)
		}
		return "", fmt.Errorf("the gateway %w %s: %s", errStatus, res.Status, text)
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
