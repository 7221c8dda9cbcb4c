package capability

// Default returns what every orchestrator, transcoder and AI worker of the network
// advertises. Offers without it are refused by gateways, also for AI jobs.
func Default() Set {
	return Legacy().With(AuthToken, MPEG7Signature, SegmentSlicing)
}

// Legacy returns what a node that sends no capabilities at all is taken to have.
func Legacy() Set {
	return Of(H264, MPEGTS, MP4, FractionalFramerates, StorageDirect, StorageS3, StorageGCS,
		H264Baseline, H264Main, H264High, H264ConstrainedHigh, GOP)
}

// SoftwareTranscoder is Default and everything that decoding in software adds,
// whatever the machine. A build whose decoders are checked at start takes away
// what failed (Set.Without); devices and AI pipelines add theirs (Set.Union).
//
// HEVC, VP8 and VP9 encoding are not in it: no software encoder for them is
// part of the build.
func SoftwareTranscoder() Set { return Default().Union(SoftwareDecoders()) }

// SoftwareDecoders returns what libav's own decoders add to Default: codecs besides
// H.264, and the H.264 pixel formats that hardware often cannot decode.
func SoftwareDecoders() Set {
	return Of(HEVCDecode, VP8Decode, VP9Decode,
		H264DecodeYUV444Bit8, H264DecodeYUV422Bit8,
		H264DecodeYUV444Bit10, H264DecodeYUV422Bit10, H264DecodeYUV420Bit10)
}
