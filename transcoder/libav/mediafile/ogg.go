package mediafile

// linksMost bounds the links of a chained Ogg file that are looked at.
const linksMost = 64

// SoundLinks parts a chained Ogg file, in which streams follow one another, into files of
// their own. Any other file is one link. ok is false for more links than are looked at.
func SoundLinks(file []byte) (links [][]byte, ok bool) {
	begin, headers := 0, true
	for at := 0; at+27 <= len(file) && string(file[at:at+4]) == "OggS"; {
		first := file[at+5]&2 != 0
		if first && !headers {
			links, begin = append(links, file[begin:at]), at
			if len(links) >= linksMost {
				return nil, false
			}
		}
		headers = first
		at += pageSize(file[at:])
	}
	return append(links, file[begin:]), true
}

// pageSize returns the size of a page with its header, at least 27.
func pageSize(page []byte) int {
	segments := int(page[26])
	size := 27 + segments
	for i := range segments {
		if 27+i < len(page) {
			size += int(page[27+i])
		}
	}
	return size
}
