package ingest

import (
	"sync"

	"github.com/datarhei/gosrt"
)

const (
	// packetCost is what the library keeps of a packet at most, whose buffer may be one of a longer packet; an empty
	// one counts as much as a full one.
	packetCost = 2 << 10
	// maxBuffered bounds what the library keeps of a client until it is due, maxAllBuffered what it keeps of all.
	maxBuffered, maxAllBuffered = 64 << 20, 512 << 20
)

// srtBuffers counts what the library keeps of all clients.
type srtBuffers struct {
	mu  sync.Mutex
	all int64
	of  map[srt.Conn]int64
}

// set records what is kept of a client, 0 for nothing any more. It reports whether that is too much: for one client,
// or for all where this one has more than its part.
func (b *srtBuffers) set(conn srt.Conn, packets uint64) (over bool) {
	bytes := int64(min(packets, maxAllBuffered)) * packetCost
	b.mu.Lock()
	defer b.mu.Unlock()
	b.all += bytes - b.of[conn]
	if bytes == 0 {
		delete(b.of, conn)
		return false
	}
	if b.of == nil {
		b.of = make(map[srt.Conn]int64)
	}
	b.of[conn] = bytes
	return bytes > maxBuffered || b.all > maxAllBuffered && bytes >= maxAllBuffered/int64(len(b.of))
}
