package orchestrate

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/tuttinode/tutti/core"
)

// Path names a rendition that is kept for download:
// <session>/<directory>/<number>.<ts|mp4>, with ".phash" behind it for the
// rendition's video signature. It needs no escaping in a URL.
type Path struct {
	Session core.SessionID
	// Dir names the profile; see renditionDirs.
	Dir    string
	Number core.SegmentNumber
	Format core.Format
	// Signature names the video signature instead of the rendition.
	Signature bool
}

// signatureExt follows the rendition's name.
const signatureExt = ".phash"

// String returns the path in a URL.
func (p Path) String() string {
	s := string(p.Session) + "/" + p.Dir + "/" + strconv.FormatInt(int64(p.Number), 10) + p.Format.Ext()
	if p.Signature {
		s += signatureExt
	}
	return s
}

// ParsePath accepts exactly what String returns.
func ParsePath(text string) (Path, bool) {
	session, rest, ok := strings.Cut(text, "/")
	if !ok || !validSessionID(session) {
		return Path{}, false
	}
	dir, file, ok := strings.Cut(rest, "/")
	if !ok || !isPlainDir(dir) {
		return Path{}, false
	}
	p := Path{Session: core.SessionID(session), Dir: dir}
	file, p.Signature = strings.CutSuffix(file, signatureExt)
	digits, isTS := strings.CutSuffix(file, core.FormatMPEGTS.Ext())
	if !isTS {
		var isMP4 bool
		if digits, isMP4 = strings.CutSuffix(file, core.FormatMP4.Ext()); !isMP4 {
			return Path{}, false
		}
		p.Format = core.FormatMP4
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || strconv.FormatInt(n, 10) != digits {
		return Path{}, false
	}
	p.Number = core.SegmentNumber(n)
	return p, true
}

// renditionDirs gives each profile a directory: its name if that is plain and unused, else
// one by its index. Gateways choose the names.
func renditionDirs(profiles []core.Profile) []string {
	out := make([]string, len(profiles))
	taken := make(map[string]bool, len(profiles))
	for i, p := range profiles {
		name := p.Name
		for n := i; !isPlainDir(name) || taken[name]; n++ {
			name = fmt.Sprintf("rendition%d", n)
		}
		taken[name] = true
		out[i] = name
	}
	return out
}

// isPlainDir reports whether name is safe as one element of a path and a URL.
func isPlainDir(name string) bool {
	const maxDir = 64
	if name == "" || len(name) > maxDir || strings.Trim(name, ".") == "" {
		return false
	}
	for _, c := range []byte(name) {
		switch {
		case c >= '0' && c <= '9', c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z',
			c == '_', c == '-', c == '.':
		default:
			return false
		}
	}
	return true
}
