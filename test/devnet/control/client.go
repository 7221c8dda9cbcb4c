package control

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
)

// Client speaks to one running test chain. It may be used from any goroutine.
type Client struct {
	url  string
	http *http.Client
}

// New makes a client for the address that tutti_devnet prints as its control URL.
func New(url string) *Client { return &Client{url: url, http: &http.Client{}} }

// maxAnswer bounds an answer, in bytes.
const maxAnswer = 16 << 20

// Call asks for any method, devnet_ included, and decodes its result into a
// pointer, or drops it when that is nil.
func (c *Client) Call(ctx context.Context, result any, method string, params ...any) error {
	if params == nil {
		params = []any{}
	}
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	if err != nil {
		return fmt.Errorf("write %s: %w", method, err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := c.http.Do(req)
	if err != nil {
		return fmt.Errorf("ask the test chain: %w", err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err != nil {
		return fmt.Errorf("read the test chain's answer: %w", err)
	}
	return decode(method, text, result)
}

// decode takes the result out of an answer.
func decode(method string, text []byte, result any) error {
	var answer struct {
		Result json.RawMessage `json:"result"`
		Error  *struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		return fmt.Errorf("%s: the answer is no JSON-RPC: %w", method, err)
	}
	if answer.Error != nil {
		return errors.New(method + ": " + answer.Error.Message)
	}
	if result == nil {
		return nil
	}
	if err := json.Unmarshal(answer.Result, result); err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	return nil
}

// Close lets idle connections go.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// ask is Call for methods with a result.
func ask[T any](ctx context.Context, c *Client, method string, params ...any) (out T, err error) {
	err = c.Call(ctx, &out, "devnet_"+method, params...)
	return out, err
}
