package pipeline

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tuttinode/tutti/core/capability"
)

// maxAddresses bounds the addresses of one request, because each may cost a DNS look-up.
const maxAddresses = 32

// Addresses calls visit with every address in a request that its server might fetch from: values of
// fields named like url, image_url, href or $ref, and of media fields (image, mask_image, audio,
// video, file) that contain no media themselves, at any depth and in lists. data: addresses are
// left out. In a part of a chat a value that begins with a scheme is one whatever its field is called.
// Text that is only for the model is skipped, where a chat's API has it: the request's metadata and
// the arguments of a message's tool calls. Fields of the same names in other places are not skipped.
//
// The error is visit's own, or says why body cannot be walked.
func Addresses(id capability.ID, contentType string, body []byte, visit func(address string) error) error {
	return LocateAddresses(id, contentType, body, func(a *Address) error { return visit(a.Text) })
}

// Address is an address in a request.
type Address struct {
	// Text is the decoded address; of a far too long one only the beginning.
	Text string
	// Image says that it is the image_url of a part of a chat. From and To are then the position
	// of its JSON string in the request, with its quotes.
	Image    bool
	From, To int
}

// LocateAddresses is Addresses with positions.
func LocateAddresses(id capability.ID, contentType string, body []byte, visit func(a *Address) error) error {
	p, ok := Lookup(id)
	if !ok {
		return nil
	}
	w := &addressWalk{visit: visit}
	if p.Form == Multipart {
		return Parts(contentType, body, func(name, file string, value []byte) error {
			// Some servers do not tell fields with the name of a file from others.
			if name == p.File || fieldOf([]byte(name)) == otherField || file != "" && isMediaFile(value) {
				return nil
			}
			return w.add(&Address{Text: string(value)})
		})
	}
	at := otherSpot
	if id == capability.LLM {
		at = inRequest
	}
	c := &cursor{text: body}
	if err := w.value(c, otherField, at); err != nil {
		return err
	}
	return c.end()
}

// addressWalk looks for addresses in a JSON text.
type addressWalk struct {
	visit func(a *Address) error
	found int
}

// spot classifies a value of a chat by the names of the fields that contain it. Names count as the API spells
// them: a server that accepts other spellings gets no image there.
type spot int

const (
	otherSpot spot = iota
	inRequest
	inMessages
	inMessage
	inContent
	inPart
	// inImage is the value of image_url, an address or an object with one; inURL is that address.
	inImage
	inURL
	// inOther is what else a part has, at any depth. A text there that begins like an address is one, because a server
	// may have names that are not known here.
	inOther
	// inNested is the content of a part: a text, or parts.
	inNested
	// inOpaque is text for the model or the client's own; the others are fields around it.
	inToolCalls
	inToolCall
	inFunction
	inOpaque
)

// member returns the spot of an object's member.
func (s spot) member(name []byte) spot {
	switch n := string(name); {
	case s == inRequest && n == "messages":
		return inMessages
	case s == inMessage && n == "content":
		return inContent
	case s == inPart && n == "image_url":
		return inImage
	case s == inImage && n == "url":
		return inURL
	case s == inMessage && n == "tool_calls":
		return inToolCalls
	case s == inToolCall && n == "function":
		return inFunction
	case s == inFunction && n == "arguments", s == inRequest && n == "metadata":
		return inOpaque
	case (s == inPart || s == inOther) && n == "content":
		return inNested
	case s >= inPart && s <= inOther && !isTextField(n):
		return inOther
	}
	return otherSpot
}

// isTextField reports whether a field of a part has text for the model, or a title.
func isTextField(name string) bool {
	switch name {
	case "text", "title", "name", "filename", "context", "thinking", "refusal":
		return true
	}
	return false
}

// element returns the spot of a list's element.
func (s spot) element() spot {
	switch s {
	case inMessages:
		return inMessage
	case inContent:
		return inPart
	case inToolCalls:
		return inToolCall
	case inOther, inNested:
		return inOther
	}
	return otherSpot
}

// fieldKind classifies a field's value by its name.
type fieldKind int

const (
	// otherField is no address itself, but may contain some.
	otherField fieldKind = iota
	// addressField holds addresses, mediaField media or an address of some.
	addressField
	mediaField
	// opaqueField is a reference within the same text.
	opaqueField
)

// maxFieldName is the part of a field's name that matters: its end.
const maxFieldName = 64

// fieldOf classifies a field by its name in any spelling: image_url, imageUrl, image-URL, and in
// letters that some JSON readers fold to these.
func fieldOf(text []byte) fieldKind {
	var buf [maxFieldName]byte
	name := plainName(buf[:0], text[max(0, len(text)-maxFieldName):])
	switch string(name) {
	case "href", "src", "ref", "dynamicref", "link", "path":
		return addressField
	case "audios", "videos", "file", "files", "media", "imagedata", "audiodata", "videodata", "inputfile":
		return mediaField
	}
	ends := func(with ...string) bool {
		return slices.ContainsFunc(with, func(end string) bool { return bytes.HasSuffix(name, []byte(end)) })
	}
	switch {
	case ends("url", "urls", "uri", "uris", "filepath", "imagepath", "audiopath", "videopath"):
		return addressField
	case ends("image", "images", "audio", "video") && !bytes.HasPrefix(name, []byte("num")):
		return mediaField // mask_image, reference_audio
	}
	return otherField
}

// plainName appends a name without the differences between its spellings: in small letters, without signs.
func plainName(to, name []byte) []byte {
	if !isASCII(name) { // rare, and not worth a path of its own
		name = bytes.ToLower(bytes.ToUpper(name))
	}
	for _, b := range name {
		switch {
		case b == '_', b == '-', b == '$':
			continue
		case 'A' <= b && b <= 'Z':
			b += 'a' - 'A'
		}
		to = append(to, b)
	}
	return to
}

func isASCII(text []byte) bool {
	return !slices.ContainsFunc(text, func(b byte) bool { return b >= utf8.RuneSelf })
}

// value walks any value of a field of that kind.
func (w *addressWalk) value(c *cursor, kind fieldKind, at spot) error {
	switch c.peek() {
	case '{':
		return c.members(func(raw []byte) error {
			name, err := decodeString(raw)
			if err != nil {
				return c.fail("broken escape in a name")
			}
			field, to := fieldOf(name), at.member(name)
			if to == inOpaque {
				_, err := c.value()
				return err
			}
			if string(name) == "$ref" && bytes.HasPrefix(c.text[c.skipped():], []byte(`"#`)) {
				field = opaqueField
			}
			return w.value(c, field, to)
		})
	case '[':
		return c.array(func() error { return w.value(c, kind, at.element()) })
	case '"':
		return w.text(c, kind, at)
	}
	_, err := c.value()
	return err
}

// text checks a string of a field of that kind.
func (w *addressWalk) text(c *cursor, kind fieldKind, at spot) error {
	from := c.skipped()
	raw, err := c.str()
	if err == nil && kind == otherField && at == inOther && beginsLikeAddress(raw) {
		kind = addressField
	}
	if err != nil || kind == otherField || kind == opaqueField || len(raw) == 0 || hasDataScheme(raw) {
		return err
	}
	if kind == mediaField && isMedia(raw) {
		return nil
	}
	address, err := decodeString(raw[:min(len(raw), maxAddressText)])
	if err != nil {
		// Cut within an escape: the rest is long enough to be refused.
		address = raw[:min(len(raw), maxAddressText)]
	}
	return w.add(&Address{Text: string(address), Image: at == inImage || at == inURL, From: from, To: c.pos})
}

// beginsLikeAddress reports whether a text in JSON form begins with a scheme and a place.
func beginsLikeAddress(raw []byte) bool {
	scheme, rest, found := strings.Cut(strings.TrimSpace(string(unescaped(raw, maxFieldName))), ":")
	wrong := func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("+-.", r)
	}
	return found && scheme != "" && !strings.ContainsFunc(scheme, wrong) &&
		(strings.HasPrefix(rest, "//") || strings.EqualFold(scheme, "file"))
}

// maxAddressText bounds the checked part of an address, in bytes: more than any permitted one.
const maxAddressText = 16 << 10

func (w *addressWalk) add(a *Address) error {
	if a.Text == "" || hasDataScheme([]byte(a.Text)) {
		return nil
	}
	if w.found++; w.found > maxAddresses {
		return errAddresses
	}
	return w.visit(a)
}

var errAddresses = errors.New("the request names too many addresses")

func hasDataScheme(raw []byte) bool {
	const scheme = "data:"
	return len(raw) >= len(scheme) && strings.EqualFold(string(raw[:len(scheme)]), scheme)
}

// mediaStarts are the beginnings, in base64, of the media that requests carry inline. No path in
// the server's file system begins like one, except like those of MP3. Read-only.
var mediaStarts = []string{
	"/9j/", "iVBORw0KGgo", "R0lGOD", "UklGR", "Qk", "SUkq", "TU0AK", // JPEG, PNG, GIF, WebP and WAV, BMP, TIFF
	"T2dnU", "ZkxhQ", "SUQz", "GkXfo", "JVBERi0", // Ogg, FLAC, MP3 with a title, Matroska, PDF
}

// fileStarts are the beginnings of the same media as files, and of MP4 and MP3 without a title. No address begins like
// one. Read-only.
var fileStarts = []string{"\xff", "\x89PNG", "GIF8", "RIFF", "BM", "II*", "MM\x00", "OggS", "fLaC", "ID3", "\x1aE",
	"%PDF", "\x00\x00"}

// isMediaFile reports whether a file is an image, audio, video or document.
func isMediaFile(value []byte) bool {
	return slices.ContainsFunc(fileStarts, func(s string) bool { return bytes.HasPrefix(value, []byte(s)) })
}

// soundStarts are those of MP3 and AAC without tags, of every version. Paths may begin like them:
// //srv, //usr, //var. Read-only.
var soundStarts = []string{
	"//E", "//F", "//G", "//H", "//I", "//J", "//K", "//L", "//M", "//N", "//O", "//P",
	"//k", "//l", "//m", "//n", "//o", "//p", "//q", "//r", "//s", "//t", "//u", "//v",
}

const (
	// minMedia is smaller than any image or audio in base64, and longer than a path that happens
	// to begin like one.
	minMedia = 40
	// maxPath is the longest path that a system opens, in bytes.
	maxPath = 4096
)

// isMedia reports whether a text is an image, audio or document in base64. The text is in JSON
// form: some writers escape each slash.
func isMedia(raw []byte) bool {
	head := string(unescaped(raw, minMedia))
	if len(head) < minMedia || strings.ContainsAny(head, ".:~") {
		return false
	}
	starts := func(with []string) bool {
		return slices.ContainsFunc(with, func(s string) bool { return strings.HasPrefix(head, s) })
	}
	if starts(soundStarts) {
		return len(unescaped(raw, maxPath+1)) > maxPath
	}
	// MP4 begins with a length, and then "ftyp".
	return starts(mediaStarts) || strings.HasPrefix(head[6:], "Z0eX")
}

// unescaped decodes the beginning of a JSON text, at most that many bytes.
func unescaped(raw []byte, most int) []byte {
	const longest = 6 // \u002f
	raw = raw[:min(len(raw), longest*most)]
	for cut := 0; cut < longest && cut < len(raw); cut++ {
		// The end may be within an escape.
		if out, err := decodeString(raw[:len(raw)-cut]); err == nil {
			return out[:min(len(out), most)]
		}
	}
	return nil
}
