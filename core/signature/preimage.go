package signature

import (
	"encoding/binary"
	"encoding/hex"

	"github.com/ethereum/go-ethereum/common"

	"github.com/tuttinode/tutti/core"
)

// Request returns what a gateway signs (NodeSign) when it asks an orchestrator for
// its terms: its own address as text in EIP-55 mixed case.
func Request(sender common.Address) []byte { return []byte(sender.Hex()) }

// ProfileID returns a profile's form in a segment's signature: the first four
// bytes of the keccak of its name.
func ProfileID(name string) [4]byte {
	h := Keccak256([]byte(name))
	return [4]byte(h[:4])
}

// Segment returns what a gateway signs (NodeSign) with each segment: manifest,
// number, hash and the profiles' names in order. The names are those on the
// wire, as received. Nothing else about the segment is signed. The hash is the network's, Keccak-256.
func Segment(manifest core.ManifestID, number core.SegmentNumber, hash [HashSize]byte, names []string) []byte {
	return SegmentOver(Digest{Sum: hash}, manifest, number, names)
}

// sha256Mark is where the profiles begin in a description whose hash is the SHA-256 of the segment. The
// algorithm is a field of the message that a third party could change, so the signature covers it too.
const sha256Mark = "hash: SHA-256"

// SegmentOver is Segment for a hash of either algorithm. One over SHA-256 has a mark before the profiles,
// which makes it a description of another form: a signature over the one is none over the other.
func SegmentOver(hash Digest, manifest core.ManifestID, number core.SegmentNumber, names []string) []byte {
	out := make([]byte, 0, len(manifest)+2*HashSize+8*(1+len(names)))
	out = append(out, manifest...)
	// A 32-byte number, of which a segment number fills the last eight. The
	// network writes a negative number as its amount.
	amount := uint64(number)
	if number < 0 {
		amount = -amount
	}
	out = append(out, make([]byte, HashSize-8)...)
	out = binary.BigEndian.AppendUint64(out, amount)
	out = append(out, hash.Sum[:]...)
	if hash.Algorithm == SHA256 {
		out = appendID(out, sha256Mark)
	}
	for _, name := range names {
		out = appendID(out, name)
	}
	return out
}

// appendID appends a name's ProfileID as text.
func appendID(out []byte, name string) []byte {
	id := ProfileID(name)
	return hex.AppendEncode(out, id[:])
}

// ProfileNames lists the names of profiles, for Segment.
func ProfileNames(profiles []core.Profile) []string {
	names := make([]string, len(profiles))
	for i, p := range profiles {
		names[i] = p.Name
	}
	return names
}

// Result returns what an orchestrator signs (EthSign) with a result: the keccak of
// the renditions' hashes in profile order.
func Result(hashes [][HashSize]byte) [HashSize]byte {
	h := NewKeccak256()
	for i := range hashes {
		h.Write(hashes[i][:])
	}
	var out [HashSize]byte
	h.Sum(out[:0])
	return out
}
