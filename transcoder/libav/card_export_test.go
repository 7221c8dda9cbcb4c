package libav

// Cascade is the chain of filters that scales on a GPU.
func Cascade(srcW, srcH, width, height int) string { return cascade(srcW, srcH, width, height) }
