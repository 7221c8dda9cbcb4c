package pipeline

import (
	"bytes"
	"strings"

	"github.com/tuttinode/tutti/core/capability"
)

// maxAddresses bounds the addresses of one request: each may cost a look-up.
const maxAddresses = 32

// Addresses calls visit with every address in a request that its server might fetch
// from: values of fields named like url, image_url, href or $ref, and of media fields
// (image, audio, video, file) where they hold no media itself, at any depth and in
// lists. data: addresses are left out. It does not look into what is text for a model
// alone: arguments of tool calls and the client's metadata.
//
// The error is visit's own, or says why body cannot be walked.
func Addresses(id capability.ID, contentType string, body []byte, visit func(address string) error) error {
	p, ok := Lookup(id)
	if !ok {
		return nil
	}
	w := &addressWalk{visit: visit}
	if p.Form == Multipart {
		return Parts(contentType, body, func(name, file string, value []byte) error {
			if file != "" || name == p.File || fieldOf(name) == otherField {
				return nil
			}
			return w.take(string(value))
		})
	}
	c := &cursor{text: body}
	if err := w.value(c, otherField); err != nil {
		return err
	}
	return c.end()
}

// addressWalk looks for addresses in a JSON text.
type addressWalk struct {
	visit func(address string) error
	found int
}

// fieldKind is what a field's name says of its value.
type fieldKind int

const (
	// otherField holds no address itself; what is in it may.
	otherField fieldKind = iota
	// addressField holds addresses, mediaField media or an address of some.
	addressField
	mediaField
	// opaqueField is text for the model or the client's own.
	opaqueField
)

// maxFieldName is as much of a field's name as matters: its end.
const maxFieldName = 64

// spelling is what the spellings of a name differ in.
var spelling = strings.NewReplacer("_", "", "-", "", "$", "")

// fieldOf classifies a field by its name, however it is spelled: image_url, imageUrl,
// image-URL, and in letters that some readers of JSON take for these.
func fieldOf(name string) fieldKind {
	name = strings.ToLower(strings.ToUpper(name[max(0, len(name)-maxFieldName):]))
	switch name = spelling.Replace(name); name {
	case "arguments", "metadata":
		return opaqueField
	case "href", "src", "ref", "dynamicref", "link", "path", "filepath":
		return addressField
	case "image", "images", "audio", "audios", "video", "videos", "file", "files", "media",
		"imagedata", "audiodata", "videodata", "inputimage", "inputaudio", "inputvideo", "inputfile":
		return mediaField
	}
	for _, end := range []string{"url", "urls", "uri", "uris"} {
		if strings.HasSuffix(name, end) {
			return addressField
		}
	}
	return otherField
}

// value passes over any value of a field of that kind.
func (w *addressWalk) value(c *cursor, kind fieldKind) error {
	switch c.peek() {
	case '{':
		return c.members(func(raw []byte) error {
			name, err := meant(raw)
			if err != nil {
				return c.fail("broken escape in a name")
			}
			field := fieldOf(string(name))
			if kind == opaqueField {
				field = opaqueField
			}
			if string(name) == "$ref" && bytes.HasPrefix(c.text[c.skipped():], []byte(`"#`)) {
				field = opaqueField // a place in the same text
			}
			return w.value(c, field)
		})
	case '[':
		return c.array(func() error { return w.value(c, kind) })
	case '"':
		return w.text(c, kind)
	}
	_, err := c.value()
	return err
}

// text takes a string of a field of that kind.
func (w *addressWalk) text(c *cursor, kind fieldKind) error {
	raw, err := c.str()
	if err != nil || kind == otherField || kind == opaqueField || len(raw) == 0 || hasDataScheme(raw) {
		return err
	}
	if kind == mediaField && isMedia(raw) {
		return nil
	}
	address, err := meant(raw[:min(len(raw), maxAddressText)])
	if err != nil {
		// Cut within an escape: what is there is long enough to be refused.
		address = raw[:min(len(raw), maxAddressText)]
	}
	return w.take(string(address))
}

// maxAddressText is as much of an address as is looked at, in bytes: more than any
// that is permitted.
const maxAddressText = 16 << 10

func (w *addressWalk) take(address string) error {
	if address == "" || hasDataScheme([]byte(address)) {
		return nil
	}
	if w.found++; w.found > maxAddresses {
		return errAddresses
	}
	return w.visit(address)
}

var errAddresses = &syntaxError{"the request names too many addresses", 0}

func hasDataScheme(raw []byte) bool {
	const scheme = "data:"
	return len(raw) >= len(scheme) && strings.EqualFold(string(raw[:len(scheme)]), scheme)
}

// mediaStarts are the beginnings, in base64, of the media that requests carry bare.
// A path in the server's file system begins with none of them.
var mediaStarts = []string{
	"/9j/", "iVBORw0KGgo", "R0lGOD", "UklGR", "Qk", "SUkq", "TU0AK", // JPEG, PNG, GIF, WebP and WAV, BMP, TIFF
	"T2dnU", "ZkxhQ", "SUQz", "//s", "//u", "//v", "GkXfo", "JVBERi0", // Ogg, FLAC, MP3, Matroska, PDF
}

// minMedia is less than any picture or sound has, in base64, and more than a path
// that happens to begin like one.
const minMedia = 40

// isMedia reports whether a text is a picture, sound or document in base64.
func isMedia(raw []byte) bool {
	if len(raw) < minMedia {
		return false
	}
	head := string(raw[:minMedia])
	if strings.ContainsAny(head, ".:~") {
		return false
	}
	for _, start := range mediaStarts {
		if strings.HasPrefix(head, start) {
			return true
		}
	}
	// MP4 begins with a length, and then "ftyp".
	return strings.HasPrefix(head[6:], "Z0eX")
}
