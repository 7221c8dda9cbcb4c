package node

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/tuttinode/tutti/core/fault"
)

// maxLine bounds a line of an answer that is read line by line, in bytes.
const maxLine = 1 << 20

// Lines asks for something whose answer comes line by line while it goes on, and ends
// when ctx does. each gets every line.
func (c *Client) Lines(
	ctx context.Context, path string, query url.Values, body any, each func(line []byte) error,
) error {
	if c.clear {
		return fault.New(fault.AdminTokenInClear, "ask for a change", "")
	}
	token, err := c.token(ctx, c)
	if err != nil {
		return err
	}
	content, err := json.Marshal(body)
	if err != nil {
		return fmt.Errorf("write the request: %w", err)
	}
	target := c.base + path
	if len(query) > 0 {
		target += "?" + query.Encode()
	}
	req, err := http.NewRequestWithContext(withSecret(ctx), http.MethodPost, target, bytes.NewReader(content))
	if err != nil {
		return fmt.Errorf("ask for %s: %w", path, err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := c.http.Do(req)
	if err != nil {
		return c.unreachable(ctx, err)
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		text, err := io.ReadAll(io.LimitReader(resp.Body, maxLine))
		if err != nil {
			return c.unreachable(ctx, err)
		}
		return refusal(resp.StatusCode, text, req.URL.Path)
	}
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		if err := each(lines.Bytes()); err != nil {
			return err
		}
	}
	if err := lines.Err(); err != nil {
		return c.unreachable(ctx, err)
	}
	return nil
}
