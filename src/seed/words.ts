/** Words that names are made of. Made up or common: none is meant to be anybody. */

export const COMPANY_FIRSTS = [
  ...["Amber", "Aspen", "Birch", "Blue Harbor", "Bright", "Cedar", "Clear", "Cobalt", "Copper", "Coral", "Crimson"],
  ...["Delta", "Ember", "Evergreen", "Falcon", "Fjord", "Flint", "Golden", "Granite", "Harvest", "Hazel", "Indigo"],
  ...["Iron", "Juniper", "Kestrel", "Lantern", "Larch", "Lime", "Lumen", "Maple", "Meridian", "Mosaic", "North"],
  ...["Oak", "Olive", "Opal", "Orchard", "Pebble", "Pine", "Prairie", "Quartz", "Raven", "Ridge", "River", "Saffron"],
  ...["Silver", "Slate", "Solar", "Sparrow", "Stone", "Summit", "Tidal", "Timber", "Umber", "Velvet", "Violet"],
  ...["Willow", "Winter", "Zephyr", "Café", "Über", "Ñandú", "Århus", "Łódź", "Kraków", "São"],
] as const;

export const COMPANY_SECONDS = [
  ...[
    "Analytics",
    "Apps",
    "Bikes",
    "Books",
    "Bridge",
    "Broadcast",
    "Care",
    "Cargo",
    "Cloud",
    "Data",
    "Energy",
    "Farms",
  ],
  ...["Finance", "Foods", "Freight", "Games", "Goods", "Health", "Insights", "Instruments", "Kitchen", "Labs"],
  ...["Learning", "Logistics", "Maps", "Market", "Media", "Metrics", "Mobility", "Music", "Networks", "Optics"],
  ...["Outfitters", "Partners", "Pay", "Photo", "Press", "Research", "Retail", "Robotics", "Security", "Software"],
  ...["Sports", "Studio", "Supply", "Systems", "Textiles", "Tools", "Travel", "Ventures", "Weather", "Works"],
] as const;

export const LEGAL_FORMS = [
  "Inc.",
  "LLC",
  "Ltd",
  "GmbH",
  "S.A.",
  "AB",
  "B.V.",
  "Oy",
  "OÜ",
  "A/S",
  "Sp. z o.o.",
] as const;

/** Whole names, from scripts whose words are not put together as above. */
export const COMPANIES_OF_OTHER_SCRIPTS = [
  ...["株式会社青空", "山川データ有限会社", "北京晨光科技", "대한소프트", "한빛연구소", "ООО «Северный ветер»"],
  ...["Книжный двор", "Φάρος Αναλυτική", "شركة الأفق", "بيانات النيل", "מגדלור נתונים", "ध्रुव तारा", "บริษัท ดาวเหนือ"],
  ...["☕ Kaffeerunde", "Rocket 🚀 Parcel"],
] as const;

export const FIRST_NAMES = [
  ...["Ada", "Aino", "Alejandro", "Amina", "Anna", "Ben", "Birgit", "Chidi", "Chloé", "Clara", "Daniel", "Dmitri"],
  ...["Elif", "Emma", "Fatima", "Felix", "Finn", "Grace", "Hana", "Hiro", "Ingrid", "Ivan", "Jack", "João", "José"],
  ...["Kai", "Kofi", "Léa", "Linh", "Lucía", "Łukasz", "Maja", "Marco", "Mei", "Nadia", "Noah", "Nuño", "Olga"],
  ...["Omar", "Priya", "Quentin", "Rania", "Renée", "Rosa", "Samuel", "Siobhán", "Sofia", "Søren", "Tariq", "Tomás"],
  ...["Uma", "Viktor", "Wanjiru", "Xavier", "Yara", "Yusuf", "Zoë"],
] as const;

export const LAST_NAMES = [
  ...["Abara", "Almeida", "Andersson", "Bauer", "Bianchi", "Björk", "Brown", "Castillo", "Çelik", "Chen", "Costa"],
  ...["D'Amico", "Dubois", "Eriksen", "Fischer", "García", "Haddad", "Horváth", "Ibrahim", "Ito", "Jansen", "Kaya"],
  ...["Kim", "Kovač", "Kowalski", "Larsen", "Lee", "Lindqvist", "Mbeki", "Meyer", "Müller", "Nakamura", "Nguyễn"],
  ...["Novák", "O'Brien", "Okafor", "Ortiz", "Patel", "Petrov", "Quispe", "Rossi", "Sato", "Schmidt", "Silva"],
  ...["Smith", "Sørensen", "Szabó", "Tanaka", "Torres", "Ueda", "Varga", "Weiss", "Wójcik", "Yılmaz", "Zhang"],
] as const;

export const PEOPLE_OF_OTHER_SCRIPTS = [
  ...["佐藤 花子", "王小明", "김민준", "Ольга Иванова", "Νίκος Παπαδόπουλος", "ليلى حداد", "יעל כהן", "अनिल शर्मा"],
] as const;

export const TAGS = [
  ...["trial", "paying", "partner", "beta", "vip", "invoice", "self-serve", "internal", "churn-risk", "migrated"],
  ...["eu", "us", "apac", "größer-als-100"],
] as const;
