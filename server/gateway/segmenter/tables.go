package segmenter

const (
	// maxTables bounds a unit of tables: a section has 4 KB at most. maxPrograms bounds the PIDs that tables name.
	maxTables, maxPrograms = 8 << 10, 256
)

// tables knows the PIDs of which the parser reads tables: those of the list of programs, those that a list names, and
// the fixed ones of DVB.
type tables struct{ named map[uint16]bool }

func (t *tables) has(pid uint16) bool {
	return pid == 0 || pid >= 0x10 && pid <= 0x14 || pid >= 0x1e && pid <= 0x1f || t.named[pid]
}

// read looks for lists of programs in the beginning of a unit, and reports whether the parser takes it for whole.
func (t *tables) read(b []byte) (whole bool) {
	const list, head, checksum, entry = 0x00, 3, 4, 4
	if len(b) == 0 {
		return false
	}
	at := 1 + int(b[0])
	for at < len(b) && isTable(b[at]) {
		if at+head > len(b) {
			return false
		}
		end := at + head + int(b[at+1]&0x0f)<<8 + int(b[at+2])
		if b[at] == list {
			for e := at + head + 5; e+entry <= min(end-checksum, len(b)); e += entry {
				t.name(uint16(b[e])<<8|uint16(b[e+1]), uint16(b[e+2]&0x1f)<<8|uint16(b[e+3]))
			}
		}
		at = end
	}
	return at <= len(b)
}

// name adds the PID of a program. Number 0 is none.
func (t *tables) name(program, pid uint16) {
	if program == 0 || len(t.named) > maxPrograms {
		return
	}
	if t.named == nil {
		t.named = make(map[uint16]bool)
	}
	t.named[pid] = true
}

// isTable reports whether the parser knows a kind of table. It reads nothing after another one.
func isTable(id byte) bool {
	switch id {
	case 0x00, 0x02, 0x40, 0x41, 0x42, 0x46, 0x4a, 0x70, 0x71, 0x72, 0x73, 0x7e, 0x7f:
		return true
	}
	return id >= 0x4e && id <= 0x6f
}
