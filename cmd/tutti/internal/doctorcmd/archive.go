package doctorcmd

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"path"
	"strings"
	"time"
)

// maxPart bounds one file of the bundle, in bytes.
const maxPart = 8 << 20

// Archive is a bundle in the making.
type Archive struct {
	// dir is the folder that everything is in.
	dir   string
	now   time.Time
	mask  *Mask
	parts []part
}

type part struct {
	name, about string
	content     []byte
}

// NewBundle begins a bundle; what mask knows is in none of its parts.
func NewBundle(now time.Time, mask *Mask) *Archive {
	return &Archive{dir: "tutti-bundle-" + now.UTC().Format("20060102-150405"), now: now, mask: mask}
}

// Add puts a file into the bundle; about says what it is, in one line.
func (a *Archive) Add(name, about string, content []byte) {
	if len(content) > maxPart {
		content = append(content[:maxPart:maxPart], "\n(cut off here)\n"...)
	}
	a.parts = append(a.parts, part{name, about, a.mask.Clean(content)})
}

// Missing says why a part is not there.
func (a *Archive) Missing(name, about string, err error) {
	a.Add(name+".missing.txt", about+": not there", []byte(err.Error()+"\n"))
}

// Contents lists the files, for the terminal and for the bundle itself.
func (a *Archive) Contents() string {
	var b strings.Builder
	for _, p := range a.parts {
		fmt.Fprintf(&b, "%-24s %8d bytes  %s\n", p.name, len(p.content), p.about)
	}
	return b.String()
}

const preface = `A debug bundle of tutti, made %s.

Passwords, keys, tokens and the secret parts of addresses are masked: ***. Host names,
IP addresses, Ethereum addresses and names of models and streams are in it. Look
through it before you hand it on: it is plain text.

`

// Write writes the bundle as a gzipped tar archive.
func (a *Archive) Write(w io.Writer) error {
	zipped := gzip.NewWriter(w)
	out := tar.NewWriter(zipped)
	readme := fmt.Sprintf(preface, a.now.UTC().Format(time.RFC3339)) + a.Contents()
	all := append([]part{{name: "README.txt", content: []byte(readme)}}, a.parts...)
	for _, p := range all {
		header := &tar.Header{Name: path.Join(a.dir, p.name), Mode: 0o600, Size: int64(len(p.content)),
			ModTime: a.now.Truncate(time.Second), Format: tar.FormatPAX}
		if err := out.WriteHeader(header); err != nil {
			return err
		}
		if _, err := io.Copy(out, bytes.NewReader(p.content)); err != nil {
			return err
		}
	}
	if err := out.Close(); err != nil {
		return err
	}
	return zipped.Close()
}
