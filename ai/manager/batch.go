package manager

import (
	"bufio"
	"context"
	"encoding/base64"
	"errors"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/tuttinode/tutti/core/fairqueue"
)

// Image is an image as its server sent it.
type Image struct {
	// Type is what its bytes are, such as "image/png".
	Type string
	Data []byte
}

// URLBytes returns the length of the image's data: address.
func (p *Image) URLBytes() int {
	return len("data:") + len(p.Type) + len(";base64,") + base64.StdEncoding.EncodedLen(len(p.Data))
}

// AppendURL appends the image's data: address, which no JSON text has to escape.
func (p *Image) AppendURL(to []byte) []byte {
	to = append(append(append(to, "data:"...), p.Type...), ";base64,"...)
	return base64.StdEncoding.AppendEncode(to, p.Data)
}

// types are the images that model servers read, by their first bytes.
func types() []string { return []string{"image/png", "image/jpeg", "image/webp", "image/gif"} }

// PictureBatch holds the images of one request, in the order of their addresses.
type PictureBatch struct {
	Images []Image
	// Release frees their memory; only the first call counts.
	Release func()
}

// requestMemory is one request's part of the memory for images.
type requestMemory struct {
	budget *fairqueue.Budget
	party  string

	mu   sync.Mutex
	left int64 // bytes that the request may still take; guarded by mu
	held int64 // bytes that it holds; guarded by mu
}

// release frees it.
func (s *requestMemory) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.budget.Release(s.party, s.held)
	s.held = 0
}

// take takes memory for n more bytes.
func (s *requestMemory) take(n int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n > s.left {
		return errLarge
	}
	if !s.budget.Take(s.party, n, s.held) {
		return errFull
	}
	s.left -= n
	s.held += n
	return nil
}

// image fetches one image.
func (f *PictureFetcher) image(
	ctx context.Context,
	client *http.Client,
	address string,
	memory *requestMemory,
) (*Image, error) {
	answer, err := f.get(ctx, client, address)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	contentType, _, err := mime.ParseMediaType(answer.Header.Get("Content-Type"))
	if err != nil || !strings.HasPrefix(contentType, "image/") {
		return nil, errNoImage
	}
	if answer.ContentLength > MaxPictureRequestBytes {
		return nil, errLarge
	}
	const sniffed = 512
	from := bufio.NewReaderSize(answer.Body, 32<<10)
	head, err := from.Peek(sniffed)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, &brokenError{err}
	}
	kind := http.DetectContentType(head)
	if !slices.Contains(types(), kind) {
		return nil, errNoImage
	}
	data, err := read(from, memory)
	if err != nil {
		return nil, err
	}
	return &Image{Type: kind, Data: data}, nil
}

// read reads an image to its end, as long as there is memory.
func read(from io.Reader, memory *requestMemory) (data []byte, err error) {
	part := make([]byte, 32<<10)
	for {
		n, err := from.Read(part)
		if n > 0 {
			if err := memory.take(int64(n)); err != nil {
				return nil, err
			}
		}
		data = append(data, part[:n]...)
		switch {
		case errors.Is(err, io.EOF):
			return data, nil
		case err != nil:
			return nil, &brokenError{err}
		}
	}
}
