package aiworkers

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"strings"

	"github.com/tuttinode/tutti/core/orchestrate"
	"github.com/tuttinode/tutti/server/remote"
)

const (
	// maxFiles bounds the files of an answer.
	maxFiles = 256
	// maxNames bounds an answer's JSON where files come with it: it has their names, and is read
	// into something many times as large.
	maxNames = 1 << 20
	// maxDepth bounds how deep an answer's JSON is looked into.
	maxDepth = 16
)

var (
	errFiles  = errors.New("too many files")
	errFile   = errors.New("a file without a usable name or of an unknown type")
	errAnswer = errors.New("no JSON among the parts")
	errTwice  = errors.New("two parts are JSON")
	errNames  = errors.New("too much JSON besides the files")
	errDepth  = errors.New("JSON nested too deep")
)

// mediaFile is an image, video or sound that came with an answer.
type mediaFile struct {
	kind string
	data []byte
}

// readMixed reads an answer of a worker of the network and converts it to a runner's answer:
// JSON with embedded files.
func (p *Pool) readMixed(d *delivery) (*answer, error) {
	text, held, err := p.budget.ReadAll(d.r.Body, d.r.ContentLength, maxWhole)
	switch {
	case errors.Is(err, remote.ErrTooLarge), errors.Is(err, remote.ErrNoMemory):
		return nil, unusable(err)
	case err != nil:
		return nil, err
	}
	more := int64(len(text)) * (copies - 1)
	if !p.budget.Take(more) {
		p.budget.Release(held)
		return nil, unusable(remote.ErrNoMemory)
	}
	held += more
	answer, err := joinParts(text, d.boundary)
	if err != nil {
		p.budget.Release(held)
		return nil, unusable(err)
	}
	// Only the answer stays.
	stays := min(held, int64(cap(answer)))
	p.budget.Release(held - stays)
	a := newAnswer(bytes.NewReader(answer))
	a.contentType, a.length = jsonType, int64(len(answer))
	a.releaseMemory = func() { p.budget.Release(stays) }
	return a, nil
}

// joinParts embeds the files of a multipart answer where its JSON names them. Without files
// the JSON stays unchanged.
func joinParts(text []byte, boundary string) ([]byte, error) {
	files := make(map[string]mediaFile)
	var answer []byte
	parts := multipart.NewReader(bytes.NewReader(text), boundary)
	for {
		part, err := parts.NextRawPart()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		data, err := io.ReadAll(part)
		if err != nil {
			return nil, err
		}
		kind, _, err := mime.ParseMediaType(part.Header.Get("Content-Type"))
		switch {
		case err != nil:
			return nil, errFile
		case kind == jsonType && answer != nil:
			return nil, errTwice
		case kind == jsonType:
			answer = data
		case len(files) == maxFiles:
			return nil, errFiles
		case part.FileName() == "" || orchestrate.ArtifactExt(kind) == "":
			return nil, errFile
		default:
			files[part.FileName()] = mediaFile{kind, data}
		}
	}
	switch {
	case answer == nil || !json.Valid(answer):
		return nil, errAnswer
	case len(files) == 0:
		return answer, nil
	case len(answer) > maxNames:
		return nil, errNames
	}
	return withFiles(answer, files)
}

// withFiles writes the files into an answer, as data URLs.
func withFiles(answer []byte, files map[string]mediaFile) ([]byte, error) {
	dec := json.NewDecoder(bytes.NewReader(answer))
	// A seed may exceed the range of float64.
	dec.UseNumber()
	var tree any
	if err := dec.Decode(&tree); err != nil {
		return nil, errAnswer
	}
	if err := place(tree, files, 0); err != nil {
		return nil, err
	}
	return json.Marshal(tree)
}

// place looks for fields named url whose value is a file's name.
func place(node any, files map[string]mediaFile, depth int) error {
	if depth > maxDepth {
		return errDepth
	}
	switch node := node.(type) {
	case []any:
		for _, one := range node {
			if err := place(one, files, depth+1); err != nil {
				return err
			}
		}
	case map[string]any:
		for key, value := range node {
			if name, ok := value.(string); ok && key == "url" {
				if f, known := files[name]; known {
					node[key] = dataURL(f)
					delete(files, name) // once: a small answer may name a large file a thousand times
				}
				continue
			}
			if err := place(value, files, depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}

func dataURL(f mediaFile) string {
	var b strings.Builder
	b.Grow(len(f.data)*4/3 + 64)
	b.WriteString("data:" + f.kind + ";base64,")
	// Written as it is made: another copy would be as large as the file.
	enc := base64.NewEncoder(base64.StdEncoding, &b)
	_, _ = enc.Write(f.data) // a Builder takes everything
	_ = enc.Close()
	return b.String()
}
