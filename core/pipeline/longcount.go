package pipeline

import "github.com/tuttinode/tutti/core/inference"

// AddLong counts the values that a request was read without. Pictures count where Decode found the rest of them, in the
// parts of a chat; elsewhere, as in a tool, a model may read the same text.
func (r *Request) AddLong(v *LongValues, body []byte) {
	if v == nil || v.marked == 0 {
		return
	}
	uncounted := v.marked
	if r.Operation == inference.Chat {
		uncounted -= v.pictures(body)
	}
	r.PromptBytes += int(uncounted)
	r.InputTokens += inference.Tokens((uncounted + bytesPerToken - 1) / bytesPerToken)
}

// pictures returns how many bytes of the values are pictures in the parts of a chat, which Decode took.
func (v *LongValues) pictures(body []byte) (size int64) {
	eachAt(body, []string{"messages", "*", "content", "*", "image_url"}, func(picture []byte) {
		v.split(picture, func([]byte) {}, func(s span) {
			if s.picture {
				size += s.size
			}
		})
	})
	return size
}
