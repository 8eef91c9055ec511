"""BART (Lewis et al. 2020): the encoder-decoder of Vaswani et al. 2017 with learned positions."""

from model.catalogue.pretrained.encoder_decoder_family import EncoderDecoderFamily

FAMILY = EncoderDecoderFamily(
    model_type="bart",
    attentions={"encoder": "self_attn", "decoder": "self_attn", "cross": "encoder_attn"},
    projections=("q_proj", "k_proj", "v_proj"),
    output="out_proj",
    n_heads="num_heads",
    counts=(
        ("encoder_layers", "encoder_attention_heads"),
        ("decoder_layers", "decoder_attention_heads"),
    ),
)
