package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"strings"
	"time"

	"github.com/tuttinode/tutti/transcoder/libav/clip"
)

// rendition is one part of the gateway's answer.
type rendition struct {
	name string
	data []byte
}

// push sends one segment and returns its renditions in profile order.
func push(ctx context.Context, gateway, stream string, seg clip.Segment) ([]rendition, time.Duration, error) {
	url := fmt.Sprintf("%s/live/%s/%d.ts", gateway, stream, seg.Number)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(seg.Data))
	if err != nil {
		return nil, 0, err
	}
	req.Header.Set("Accept", "multipart/mixed")
	req.Header.Set("Content-Duration", fmt.Sprint(seg.Duration.Milliseconds()))
	begin := time.Now()
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, 0, fmt.Errorf("push segment %d: %w", seg.Number, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(resp.Body, 4096))
		return nil, 0, fmt.Errorf("push segment %d: the gateway answered %s: %s", seg.Number, resp.Status, strings.TrimSpace(string(text)))
	}
	out, err := readParts(resp)
	if err != nil {
		return nil, 0, fmt.Errorf("read the renditions of segment %d: %w", seg.Number, err)
	}
	return out, time.Since(begin), nil
}

func readParts(resp *http.Response) ([]rendition, error) {
	_, params, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if err != nil {
		return nil, err
	}
	var out []rendition
	parts := multipart.NewReader(resp.Body, params["boundary"])
	for {
		p, err := parts.NextPart()
		if err == io.EOF {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		data, err := io.ReadAll(p)
		if err != nil {
			return nil, err
		}
		out = append(out, rendition{name: p.Header.Get("Rendition-Name"), data: data})
	}
}
