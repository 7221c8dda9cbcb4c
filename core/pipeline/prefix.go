package pipeline

import (
	"encoding/binary"
	"math/bits"

	"github.com/tuttinode/tutti/core/inference"
)

const (
	// maxPrefixes bounds the marks of one request. Past it the first few are kept,
	// which many conversations share, and the last, which say most.
	maxPrefixes   = 32
	firstPrefixes = 8
	// prefixBlock is how much of a long text goes into one mark.
	prefixBlock = 2 << 10
)

// PrefixHashes are marks of a chat request's beginnings, the longest last: two
// conversations that begin alike share their first marks. There is one per
// message, and one per 2 KiB of a long one. They are the same in every process
// of one version. body is one that Decode took for a chat; for any other there
// are none.
func PrefixHashes(body []byte) []uint64 {
	var p prefixes
	l := llm{message: p.message}
	if err := l.read(inference.Chat, body); err != nil {
		return nil
	}
	return p.marks
}

type prefixes struct {
	marks []uint64
	hash  uint64
}

func (p *prefixes) message(m message) {
	p.add(m.role)
	eachText(m.content, func(text []byte) {
		for len(text) > prefixBlock {
			p.add(text[:prefixBlock])
			p.mark()
			text = text[prefixBlock:]
		}
		p.add(text)
	})
	p.mark()
}

// mark records the hash of all that came so far.
func (p *prefixes) mark() {
	if len(p.marks) == maxPrefixes {
		p.marks = append(p.marks[:firstPrefixes], p.marks[firstPrefixes+1:]...)
	}
	p.marks = append(p.marks, p.hash)
}

// add takes text in, together with its length, so that the same bytes cut
// elsewhere are another text. The hash is fast and good enough to choose a node
// by; nothing depends on its being hard to forge.
func (p *prefixes) add(text []byte) {
	h := mix(p.hash, uint64(len(text)))
	for len(text) >= 8 {
		h = mix(h, binary.LittleEndian.Uint64(text))
		text = text[8:]
	}
	var rest [8]byte
	copy(rest[:], text)
	p.hash = mix(h, binary.LittleEndian.Uint64(rest[:]))
}

// mix folds the product of two words that depend on both.
func mix(h, word uint64) uint64 {
	const a, b = 0x9e3779b97f4a7c15, 0xd1b54a32d192ed03
	high, low := bits.Mul64(h^word^a, b^bits.RotateLeft64(word, 32))
	return high ^ low ^ bits.RotateLeft64(h, 5)
}
