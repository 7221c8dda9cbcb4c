package live

import (
	"net/url"
	"strings"
)

// maxOutputs bounds the RTMP servers that get one stream.
const maxOutputs = 3

const textOutput = "Invalid RTMP output"

// outputURLs are the addresses that a publisher gives for the result.
func outputURLs(q url.Values) (out []string) {
	for _, list := range q["rtmpOutput"] {
		for one := range strings.SplitSeq(list, ",") {
			if one = strings.TrimSpace(one); one != "" {
				out = append(out, one)
			}
		}
	}
	return out
}

// validOutputs reports whether the addresses can be used.
func validOutputs(all []string) bool {
	for _, text := range all {
		u, err := url.Parse(text)
		if err != nil || u.Scheme != "rtmp" && u.Scheme != "rtmps" || u.Hostname() == "" || u.User != nil ||
			strings.Trim(u.Path, "/") == "" || len(text) > 1024 {
			return false
		}
	}
	return len(all) <= maxOutputs
}
