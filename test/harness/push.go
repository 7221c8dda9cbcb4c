package harness

import (
	"bytes"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"strings"
	"time"
)

// Rendition is one part of a gateway's answer to a push.
type Rendition struct {
	Name string
	Data []byte
}

// Push sends one segment to a gateway as an HTTP push client does and returns the
// renditions in profile order, or what the gateway answered instead.
func Push(gateway, stream, file string, data []byte, duration time.Duration) ([]Rendition, error) {
	req, err := http.NewRequest(http.MethodPost, fmt.Sprintf("%s/live/%s/%s", gateway, stream, file), bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "multipart/mixed")
	req.Header.Set("Content-Duration", fmt.Sprint(duration.Milliseconds()))
	resp, err := Client().Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(resp.Body, 4096))
		return nil, fmt.Errorf("push of %s/%s: %s: %s", stream, file, resp.Status, strings.TrimSpace(string(text)))
	}
	return parts(resp)
}

func parts(resp *http.Response) ([]Rendition, error) {
	_, params, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if err != nil {
		return nil, err
	}
	var out []Rendition
	r := multipart.NewReader(resp.Body, params["boundary"])
	for {
		p, err := r.NextPart()
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
		out = append(out, Rendition{Name: p.Header.Get("Rendition-Name"), Data: data})
	}
}
