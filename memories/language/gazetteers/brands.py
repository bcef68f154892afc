"""Well-known chains and companies: next to an address they identify one place. Pure."""

_BRANDS = """
7-Eleven|A&W|Accor|Ace Hardware|Adidas|Airbnb|Albertsons|Aldi|Allianz|Allstate|Altria|Amazon Fresh
American Express|Amorino|Apple Store|Applebee's|Arby's|Argos|Asda|Ashley Furniture|AT&T|Auchan
AutoZone|Barclays|Barnes & Noble|Baskin-Robbins|Bath & Body Works|Bed Bath & Beyond|Ben & Jerry's
Best Buy|Best Western|Big Lots|BJ's|Bloomingdale's|Bojangles|Boots|Boston Market|BP
Buffalo Wild Wings|Burberry|Burger King|Burlington|Calvin Klein|Capital One|Caribou Coffee
Carl's Jr|Carrefour|Cartier|Casey's|Cava|Chase Bank|Checkers|Cheesecake Factory|Chevron
Chick-fil-A|Chili's|Chipotle|Church's Chicken|Cinemark|Cinnabon|Circle K|Citibank|Claire's|Coles
Conoco|Coop|Costa Coffee|Costco|Courtyard|Cracker Barrel|Crate & Barrel|Crunch Fitness|Culver's
CVS|Dairy Queen|Decathlon|Del Taco|Denny's|Deutsche Bank|Dick's Sporting Goods|Dillard's
dm-drogerie|Dollar General|Dollar Tree|Domino's|Douglas|Dunkin'|Dunkin' Donuts|Edeka|Einstein Bros
El Pollo Loco|Equinox|Esselunga|Exxon|Family Dollar|FedEx Office|Firehouse Subs|Five Below
Five Guys|Foot Locker|Fressnapf|Freebirds|GameStop|Giant Eagle|Golden Corral|Gold's Gym|Gucci|H&M
H-E-B|Hampton Inn|Hardee's|Harrods|Harris Teeter|Hema|Hermès|Hilton|Hobby Lobby|Holiday Inn
Home Depot|HomeGoods|Hornbach|HSBC|Hy-Vee|Hyatt|Iceland Foods|IHOP|IKEA|In-N-Out|In-N-Out Burger
Intermarché|Jack in the Box|Jamba|JCPenney|Jersey Mike's|Jiffy Lube|Jimmy John's|Jollibee|Jumbo
Kaufland|KFC|Kmart|Kohl's|Krispy Kreme|Kroger|LA Fitness|Leclerc|Leroy Merlin|Lidl|Little Caesars
Long John Silver's|Louis Vuitton|Lowe's|Lululemon|Macy's|Marks & Spencer|Marriott|Marshalls
McDonald's|McDonalds|MediaMarkt|Meijer|Mercadona|Men's Wearhouse|Michaels|Migros|Monoprix|Moe's
Morrisons|Mr. Coffee|Müller|Nando's|Neiman Marcus|Netto|New Balance|Nike Store|Nordstrom|Norma|Obi
O'Reilly Auto Parts|Office Depot|Old Navy|Olive Garden|Orangetheory|Outback Steakhouse
Panda Express|Panera|Panera Bread|Papa John's|Papa Johns|Party City|Penny Markt|Petco|PetSmart
PF Chang's|Philz|Piggly Wiggly|Pizza Hut|Planet Fitness|Pollo Tropical|Popeyes|Portillo's|Prada
Pret A Manger|Primark|Publix|QuikTrip|Raising Cane's|Ralphs|Red Lobster|Red Robin|REI|Rewe
Rite Aid|Ross Stores|Rossmann|RaceTrac|Safeway|Sainsbury's|Saks|Sam's Club|Saturn|Sears|Sephora
Shake Shack|Sheetz|Shell|Sheraton|Smoothie King|Sonic Drive-In|Speedway|Sprouts|Staples|Starbucks
Subway|Sunoco|Super 8|Sweetgreen|T.J. Maxx|TJ Maxx|T-Mobile|Taco Bell|Taco Cabana|Target|Tesco
Texas Roadhouse|TGI Fridays|Tiffany & Co|Tim Hortons|Trader Joe's|Tractor Supply|True Value
UPS Store|Ulta|Uniqlo|Urban Outfitters|US Bank|Verizon|Victoria's Secret|Waffle House|Waitrose
Walgreens|Walmart|Wawa|Wegmans|Wells Fargo|Wendy's|Wetherspoon|Whataburger|White Castle
Whole Foods|Williams-Sonoma|WinCo|Wingstop|Woolworths|Zaxby's|Zara|Zalando Outlet|Żabka|Biedronka
El Corte Inglés|Eroski|Galeries Lafayette|Albert Heijn|Kruidvat|Blokker|Esso|Total|Repsol|Eni|Aral
Bauhaus|Toom|Tchibo|Vapiano|Nordsee|Hans im Glück|L'Osteria|Peet's Coffee|Dutch Bros
"""
BRANDS = frozenset(brand for line in _BRANDS.strip().splitlines() for brand in line.split("|"))
# Firms that texts speak of as of somebody: "Google says". In lower case.
_FIRMS = """
accenture adobe airbus alibaba alphabet amazon amd anthropic apple atlassian audi azure basf bayer
bloomberg bmw boeing bosch canonical cisco cloudflare coca-cola commerzbank databricks datadog
deepmind dell deloitte dhl disney docker dropbox ebay ericsson facebook fedex figma fujitsu gitlab
github gitlab google heroku hitachi hp huawei ibm ikea infosys instagram intel jetbrains kpmg lenovo
lufthansa mastercard mcdonald's mcdonalds meta microsoft mistral mitsubishi mozilla netflix netlify
nestlé nintendo nokia nvidia openai oracle panasonic paypal pepsico pfizer philips pinterest
porsche puma qualcomm red-hat reddit renault ryanair salesforce samsung sap shopify siemens skype
slack snapchat sony spacex spotify starbucks stripe suse telefónica tencent tesla tiktok toshiba
toyota trello twitch twitter uber unilever verizon vercel visa vodafone volkswagen volvo walmart
whatsapp wikipedia xerox yahoo youtube zalando zoom
"""
FIRMS = frozenset(_FIRMS.split()) | {brand.casefold() for brand in BRANDS}
