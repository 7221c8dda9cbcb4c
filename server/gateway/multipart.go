package gateway

import (
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"strconv"

	"github.com/tuttinode/tutti/server/rpc"
)

// writeRenditions answers with the renditions as multipart/mixed, straight from
// memory and with a known length.
func (g *Gateway) writeRenditions(w http.ResponseWriter, p *push, renditions [][]byte) {
	boundary, err := g.boundary()
	if err != nil {
		http.Error(w, "Internal Server Error", http.StatusInternalServerError)
		return
	}
	heads := make([]string, len(renditions))
	var size int64
	for i, data := range renditions {
		heads[i] = p.partHead(i, len(data), boundary)
		size += int64(len(heads[i]) + len(data))
	}
	tail := "\r\n--" + boundary + "--\r\n"
	h := w.Header()
	h.Set("Content-Type", "multipart/mixed; boundary="+boundary)
	if p.attempts.media > 0 {
		h.Set(rpc.MediaTimeHeader, rpc.FormatMediaTime(p.attempts.media))
	}
	h.Set("Content-Length", strconv.FormatInt(size+int64(len(tail)), 10))
	out := g.deadlineWriter(w)
	for i, data := range renditions {
		// A failed write means that the client has disconnected.
		if _, err := io.WriteString(out, heads[i]); err != nil {
			return
		}
		if _, err := out.Write(data); err != nil {
			return
		}
	}
	if _, err := io.WriteString(out, tail); err == nil {
		out.done()
	}
}

// partHead returns the header of a part.
func (p *push) partHead(i, size int, boundary string) string {
	profile := p.plan.profiles[i]
	file := fmt.Sprintf("%s_%d%s", p.plan.keys[i], p.req.Number, profile.Format.Ext())
	lead := "\r\n"
	if i == 0 {
		lead = ""
	}
	return fmt.Sprintf("%s--%s\r\nContent-Type: %s; name=%q\r\nContent-Length: %d\r\nContent-Disposition: attachment; "+
		"filename=%q\r\nRendition-Name: %s\r\n\r\n",
		lead, boundary, profile.Format.MIME(), file, size, file, profile.Name)
}

// boundary separates parts. Media may contain any bytes, so it is random.
func (g *Gateway) boundary() (string, error) {
	var b [20]byte
	if _, err := io.ReadFull(g.opt.Rand, b[:]); err != nil {
		return "", fmt.Errorf("draw a boundary: %w", err)
	}
	return hex.EncodeToString(b[:]), nil
}
