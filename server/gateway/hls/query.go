package hls

import "bytes"

// WithQuery adds a query to every address in a playlist. Players resolve addresses
// against the playlist's own, which drops its query; so they would come without it.
func WithQuery(playlist []byte, query string) []byte {
	out := make([]byte, 0, len(playlist)+16*len(query))
	for line := range bytes.Lines(playlist) {
		address, ended := bytes.CutSuffix(line, []byte("\n"))
		out = append(out, address...)
		if len(address) > 0 && address[0] != '#' {
			out = append(append(out, '?'), query...)
		}
		if ended {
			out = append(out, '\n')
		}
	}
	return out
}
