package card

import (
	"testing"
)

// Counts is what this process, after Load, has asked of the driver so far, and whether
// that is known: on a real GPU only where the process was started with the counting
// library.
func (c *Card) Counts(t testing.TB) (Counts, bool) {
	t.Helper()
	if own := OwnCounter(); own != nil {
		return own.Read(t), true
	}
	if c.Fake == nil {
		return Counts{}, false
	}
	d := c.Fake.Counts(0)
	return Counts{
		DecodersCreated: d.DecodersCreated, DecodersDestroyed: d.DecodersDestroyed, PicturesDecoded: d.PicturesDecoded,
		EncodersOpened: d.EncodersOpened, EncodersClosed: d.EncodersClosed, PicturesEncoded: d.PicturesEncoded,
		Kernels: d.Kernels, Modules: d.Modules, UploadedBytes: d.UploadedBytes, DownloadedBytes: d.DownloadedBytes,
	}, true
}
