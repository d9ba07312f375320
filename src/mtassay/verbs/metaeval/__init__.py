"""Which metric agrees best with human judgements: the verb ``metaeval``."""
