package ingest

import (
	"net/url"
	"strings"

	"github.com/tuttinode/tutti/core/fault"
)

// maxText bounds an address, in bytes.
const maxText = 2 << 10

// livePath is what addresses of live video begin with.
const livePath = "live/video-to-video/"

// Address is what the address of a published stream says.
type Address struct {
	// Live: it is live video.
	Live bool
	// Name is the stream's, Key an API key, "" for none, Query the rest of what came with them.
	Name, Key string
	Query     url.Values
}

// ParsePath reads the path and the query of an RTMP address: /live/NAME, /NAME, each also with /KEY behind it, or
// /live/video-to-video/NAME. The key may be "key" in the query instead. The error is the fault PublishAddress.
func ParsePath(path, query string) (Address, error) {
	if len(path)+len(query) > maxText {
		return Address{}, wrong("the address is too long")
	}
	a := Address{}
	path = strings.TrimLeft(path, "/")
	if rest, ok := strings.CutPrefix(path, livePath); ok {
		a.Live, path = true, rest
	} else if rest, ok := strings.CutPrefix(path, "live/"); ok {
		path = rest
	} else if rest, ok := strings.CutPrefix(path, "stream/"); ok {
		path = rest // what players open
	}
	a.Name, a.Key, _ = strings.Cut(strings.TrimRight(path, "/"), "/")
	if !validName(a.Name) {
		return Address{}, wrong("the stream's name must be 1 to 128 letters, digits or -_.~")
	}
	values, err := url.ParseQuery(query)
	if err != nil {
		return Address{}, wrong("what comes after the question mark cannot be read")
	}
	if key := values.Get("key"); key != "" {
		a.Key = key
	}
	a.Query = values
	return a, nil
}

// ParseStreamID reads the stream identifier of SRT: an address as of RTMP without a host, or the form of SRT's
// access control, #!::r=NAME,m=publish,key=KEY. The error is the fault PublishAddress.
func ParseStreamID(id string) (Address, error) {
	list, ok := strings.CutPrefix(id, "#!::")
	if !ok {
		path, query, _ := strings.Cut(id, "?")
		return ParsePath(path, query)
	}
	if len(id) > maxText {
		return Address{}, wrong("the identifier is too long")
	}
	values := url.Values{}
	for part := range strings.SplitSeq(list, ",") {
		name, value, _ := strings.Cut(part, "=")
		values.Add(name, value)
	}
	if mode := values.Get("m"); mode != "" && mode != "publish" {
		return Address{}, wrong("streams are published here and not read")
	}
	name := values.Get("r")
	for _, known := range []string{"r", "m", "t", "h", "u", "s"} {
		values.Del(known)
	}
	return ParsePath(name, values.Encode())
}

func wrong(why string) error { return fault.New(fault.PublishAddress, "read address", why) }

// validName keeps names that need no escaping in URLs and playlists.
func validName(s string) bool {
	return s != "" && len(s) <= 128 && strings.Trim(s, ".") != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_.~", r))
	})
}
