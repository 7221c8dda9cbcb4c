package gateway

import (
	"strconv"
	"strings"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
)

// pushPath is where segments are pushed to.
const pushPath = "/live/"

// maxManifest bounds a stream's name, in bytes.
const maxManifest = 128

// segmentPath is what a push's URL path says.
type segmentPath struct {
	Manifest core.ManifestID
	Number   core.SegmentNumber
	Format   core.Format
	// Playlist: some encoders push their own playlist with the segments. It is accepted and
	// discarded.
	Playlist bool
}

// parsePush reads /live/<manifest>/<number>.ts or .mp4. Errors are faults
// PushPath.
func parsePush(path string) (segmentPath, error) {
	bad := func(why string) (segmentPath, error) {
		return segmentPath{}, fault.New(fault.PushPath, "read path",
			why+"; segments go to /live/<stream>/<number>.ts or .mp4")
	}
	rest, ok := strings.CutPrefix(path, pushPath)
	if !ok {
		return bad("not below /live/")
	}
	manifest, file, ok := strings.Cut(rest, "/")
	if !ok || !validManifest(manifest) {
		return bad("the stream's name must be 1 to 128 letters, digits or -_.~")
	}
	p := segmentPath{Manifest: core.ManifestID(manifest)}
	name, ext := file, ""
	if i := strings.LastIndexByte(file, '.'); i >= 0 {
		name, ext = file[:i], file[i:]
	}
	switch ext {
	case core.FormatMPEGTS.Ext():
		p.Format = core.FormatMPEGTS
	case core.FormatMP4.Ext():
		p.Format = core.FormatMP4
	case ".m3u8":
		p.Playlist = true
		return p, nil
	default:
		return bad("the name does not end in .ts or .mp4")
	}
	n, err := strconv.ParseUint(name, 10, 53)
	if err != nil || name[0] == '+' {
		return bad("the segment's number is not one")
	}
	p.Number = core.SegmentNumber(n)
	return p, nil
}

// validManifest keeps names that need no escaping in URLs and playlists.
func validManifest(s string) bool {
	return s != "" && len(s) <= maxManifest && strings.Trim(s, ".") != "" &&
		!strings.ContainsFunc(s, func(r rune) bool { return !manifestRune(r) })
}

func manifestRune(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_.~", r)
}

// playerPath is what a player's URL path says. Rendition is "" for the master
// playlist, Segment is "" for a playlist.
type playerPath struct {
	Manifest           core.ManifestID
	Rendition, Segment string
	Format             core.Format
}

// parsePlayer reads the part of a path after /stream/: <id>.m3u8,
// <id>/<rendition>.m3u8 or <id>/<rendition>/<segment>.ts or .mp4.
func parsePlayer(rest string) (p playerPath, ok bool) {
	parts := strings.Split(rest, "/")
	last := &parts[len(parts)-1]
	name, ext := *last, ""
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		name, ext = name[:i], name[i:]
	}
	*last = name
	if !validManifest(parts[0]) {
		return p, false
	}
	p.Manifest = core.ManifestID(parts[0])
	switch {
	case len(parts) == 1 && ext == ".m3u8":
		return p, true
	case len(parts) == 2 && ext == ".m3u8":
		p.Rendition = parts[1]
	case len(parts) == 3 && (ext == core.FormatMPEGTS.Ext() || ext == core.FormatMP4.Ext()):
		p.Rendition, p.Segment = parts[1], parts[2]
		if ext == core.FormatMP4.Ext() {
			p.Format = core.FormatMP4
		}
	default:
		return p, false
	}
	return p, p.Rendition != "" && (len(parts) == 2 || p.Segment != "")
}
