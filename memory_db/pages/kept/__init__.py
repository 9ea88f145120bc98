"""What pages keep of a file between visits, led on by what came since: each says what all counted anew would say."""
