// Package pushclient is a client of a gateway's HTTP push: it sends a segment and
// reads the renditions from the answer, as encoders and test programs do.
//
// The demonstration, the benchmark and the end-to-end tests push with it. The
// gateway itself does not use it.
package pushclient

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/tuttinode/tutti/server/rpc"
)

// maxRefusal bounds what is read of an error's text.
const maxRefusal = 4 << 10

// Segment is what is pushed.
type Segment struct {
	// Stream names the stream, File the segment: "12.ts", "12.mp4".
	Stream, File string
	Data         []byte
	// Duration is the playing time that is stated.
	Duration time.Duration
}

// Answer is what came back.
type Answer struct {
	// Renditions are in profile order.
	Renditions []Rendition
	// Took is the time from the request to the last byte of the answer; Media is
	// how much of it the codecs took, 0 when the gateway does not tell.
	Took, Media time.Duration
}

// Rendition is one part of an answer.
type Rendition struct {
	Name string
	Data []byte
}

// Push sends a segment to the gateway at the given base address. The error says
// what the gateway answered when that was not 200.
func Push(ctx context.Context, client *http.Client, gateway string, seg Segment) (*Answer, error) {
	url := fmt.Sprintf("%s/live/%s/%s", gateway, seg.Stream, seg.File)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(seg.Data))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "multipart/mixed")
	req.Header.Set("Content-Duration", fmt.Sprint(seg.Duration.Milliseconds()))
	begin := time.Now()
	resp, err := client.Do(req)
	if err != nil {
		return nil, fmt.Errorf("push %s/%s: %w", seg.Stream, seg.File, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(resp.Body, maxRefusal)) // as much as came
		return nil, fmt.Errorf("push %s/%s: %s: %s", seg.Stream, seg.File, resp.Status, strings.TrimSpace(string(text)))
	}
	a := &Answer{Media: rpc.ParseMediaTime(resp.Header.Get(rpc.MediaTimeHeader))}
	if a.Renditions, err = parts(resp); err != nil {
		return nil, fmt.Errorf("read the renditions of %s/%s: %w", seg.Stream, seg.File, err)
	}
	a.Took = time.Since(begin)
	return a, nil
}

// parts reads a multipart answer.
func parts(resp *http.Response) ([]Rendition, error) {
	_, params, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if err != nil {
		return nil, err
	}
	var out []Rendition
	for r := multipart.NewReader(resp.Body, params["boundary"]); ; {
		p, err := r.NextPart()
		if err == io.EOF {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		data, err := readPart(p)
		if err != nil {
			return nil, err
		}
		out = append(out, Rendition{Name: p.Header.Get("Rendition-Name"), Data: data})
	}
}

// maxTrusted is how much memory a part's stated length is trusted with at once.
const maxTrusted = 64 << 20

// readPart reads a part, into a buffer of the right size if its length is announced.
func readPart(p *multipart.Part) ([]byte, error) {
	size, err := strconv.Atoi(p.Header.Get("Content-Length"))
	if err != nil || size < 0 || size > maxTrusted {
		return io.ReadAll(p)
	}
	data := make([]byte, size)
	_, err = io.ReadFull(p, data)
	return data, err
}
