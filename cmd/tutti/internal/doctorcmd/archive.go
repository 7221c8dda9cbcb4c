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

// Archive is a debug bundle that is being built.
type Archive struct {
	// dir is the folder inside the archive that holds all parts.
	dir   string
	now   time.Time
	mask  *Mask
	parts []part
}

type part struct {
	name, about string
	content     []byte
}

// NewBundle begins a bundle. mask removes secrets from each part.
func NewBundle(now time.Time, mask *Mask) *Archive {
	return &Archive{dir: "tutti-bundle-" + now.UTC().Format("20060102-150405"), now: now, mask: mask}
}

// Add puts a file into the bundle; about describes it in one line.
func (a *Archive) Add(name, about string, content []byte) {
	if len(content) > maxPart {
		content = append(content[:maxPart:maxPart], "\n(cut off here)\n"...)
	}
	a.parts = append(a.parts, part{name, about, a.mask.Clean(content)})
}

// Missing adds a file that gives the reason why a part could not be collected.
func (a *Archive) Missing(name, about string, err error) {
	a.Add(name+".missing.txt", about+": missing", []byte(err.Error()+"\n"))
}

// Contents lists the files, for the terminal and for the bundle itself.
func (a *Archive) Contents() string {
	var b strings.Builder
	for _, p := range a.parts {
		fmt.Fprintf(&b, "%-24s %8d bytes  %s\n", p.name, len(p.content), p.about)
	}
	return b.String()
}

const preface = `A debug bundle of tutti, created %s.

Passwords, keys, tokens and the secret parts of URLs are masked as ***. The bundle contains
host names, IP addresses, Ethereum addresses and names of models and streams. It is plain
text: read it before you send it to anyone.

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
